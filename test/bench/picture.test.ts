import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COLOURS, svg } from '../../bench/efficiency/plot.ts';
import type { Measured } from '../../bench/efficiency/trial.ts';
import { contrast } from '../support/contrast.ts';

const NAMES = { headline: 'Two runs', caption: 'some calls', limit: 20, pause: 'nothing left' };
const picture = readFileSync('docs/efficiency.svg', 'utf8');

function run(limited: number, ...seconds: readonly (readonly [number, number])[]): Measured {
  const all = seconds.map(([served, limited]) => ({ served, limited }));
  return { limited, tookMs: seconds.length * 1_000, seconds: all } as unknown as Measured;
}

/** The paths of one class, each as its numbers. */
function pathsOf(drawn: string, name: string): string[] {
  return Array.from(drawn.matchAll(new RegExp(`<path class="${name}" d="([^"]+)"`, 'g')), ([, path = '']) => path);
}

describe('the picture', () => {
  it('has the numbers of the run in it that the README states', () => {
    const readme = readFileSync('README.md', 'utf8');
    const numbers = Array.from(picture.matchAll(/class="number \w+">([\d,]+)</g), ([, number]) => number);
    const times = Array.from(picture.matchAll(/>(\d+ s)</g), ([, time]) => time);
    expect(numbers).toEqual(['0', '2,453']);
    expect([...numbers, ...times].filter((text) => !readme.includes(String(text)))).toEqual([]);
  });

  it('draws every second to its full height, in both runs by the same measure', () => {
    const busy = Array.from({ length: 2 }, () => [20, 80] as const);
    const drawn = svg({
      ...NAMES,
      panels: [
        { title: 'calm', measured: run(0, [20, 0], [10, 0]) },
        { title: 'wild', measured: run(160, ...busy) },
      ],
    });
    const heights = [...pathsOf(drawn, 'served'), ...pathsOf(drawn, 'hatched')].map((path) => {
      const [floor = 0, ...tops] = Array.from(path.matchAll(/(?:M\S+ |V)([\d.]+)/g), ([, y]) => Number(y));
      return Math.round(floor - Math.min(...tops));
    });
    expect(heights).toEqual([62, 62, 310]);
    expect(drawn).toContain('>100/s<');
  });

  it('says in each long gap that calls wait, and in no other', () => {
    const gap = Array.from({ length: 30 }, () => [0, 0] as const);
    const measured = run(0, [5, 0], ...gap, [5, 0], [0, 0], [5, 0]);
    const drawn = svg({ ...NAMES, panels: [{ title: 'one', measured }] });
    expect(drawn.match(/>wait</g)).toHaveLength(1);
    expect(drawn).toContain('wait: nothing left');
  });

  it('can be read where it is 400 pixels wide', () => {
    const [, width = ''] = /viewBox="0 0 (\d+)/.exec(picture) ?? [];
    const sizes = Array.from(picture.matchAll(/(?:font: |font-size: )(\d+)px/g), ([, size]) => Number(size));
    expect((Math.min(...sizes) * 400) / Number(width)).toBeGreaterThanOrEqual(11);
  });

  it.for(Object.entries(COLOURS))(
    'stands out from its own background: %s',
    ([, { page, edge: _, hatch: __, ...marks }]) => {
      for (const [name, colour] of Object.entries(marks)) {
        expect([name, contrast(rgb(colour), rgb(page)) >= 4.5]).toEqual([name, true]);
      }
    },
  );
});

function rgb(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
