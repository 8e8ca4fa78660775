import { describe, expect, it } from 'vitest';
import { growthIn, type Sample } from '../../bench/soak/memory.ts';

/** Samples of a run of 50,000 calls, with the heap in MiB by the number of calls. */
function samplesOf(heap: (calls: number, index: number) => number, descriptors = (_: number): number => 20): Sample[] {
  return Array.from({ length: 13 }, (_, index) => {
    const calls = (index * 50_000) / 12;
    return { calls, heap: heap(calls, index), descriptors: descriptors(index) };
  });
}

describe('a soak', () => {
  it('is flat where samples have garbage that is not collected yet, and where the heap grows while code warms up', () => {
    expect(growthIn(samplesOf((_, index) => 14 + (index % 3 === 0 ? 6 : index / 20)))).toEqual([]);
    expect(growthIn(samplesOf((_, index) => (index < 4 ? 8 + 2 * index : 14)))).toEqual([]);
  });

  it('shows some bytes that each call leaves behind, beneath garbage', () => {
    const leak = samplesOf((calls, index) => 14 + (calls * 400) / 2 ** 20 + (index % 3 === 0 ? 6 : 0));
    expect(growthIn(leak)).toEqual([expect.stringMatching(/^the heap grew from .* MiB: \d+ bytes a call$/)]);
  });

  it('shows descriptors that are not closed', () => {
    const leak = samplesOf(
      () => 14,
      (index) => 20 + 10 * index,
    );
    expect(growthIn(leak)).toEqual(['descriptors grew from 60 to 110']);
  });

  it('of too few samples says so', () => {
    expect(growthIn(samplesOf(() => 14).slice(0, 2))).toEqual(['there are too few samples']);
  });
});
