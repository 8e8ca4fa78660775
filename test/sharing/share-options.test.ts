import { describe, expect, it } from 'vitest';
import { checkShareName, readShareOptions, readStoreOptions } from '../../src/sharing/share-options.ts';

describe('the options of a store', () => {
  it('have defaults', () => {
    expect(readStoreOptions({})).toMatchObject({ mode: 'partial', processes: 8, timeoutMs: 50 });
    const given = { secret: 'a', onStoreFailure: 'open', processes: 1, timeoutMs: 0.5 } as const;
    expect(readStoreOptions(given)).toEqual({ secret: 'a', mode: 'open', processes: 1, timeoutMs: 0.5 });
  });

  it.each([
    { secret: '' },
    { secret: 7 },
    { onStoreFailure: 'half' },
    { processes: 0 },
    { processes: 1.5 },
    { timeoutMs: 0 },
    { timeoutMs: Infinity },
    { timeoutMs: Number.NaN },
  ])('are refused if they are %o', (options) => {
    expect(() => readStoreOptions(options as never)).toThrow(Object.keys(options)[0]);
  });

  it('are an object with known names, of which its own count', () => {
    expect(readShareOptions('localShare', ['name'], { name: 'a' })).toEqual({ name: 'a' });
    for (const options of [null, undefined, 'a'])
      expect(() => readShareOptions('localShare', [], options as never)).toThrow('localShare');
    expect(() => readShareOptions('localShare', ['name'], { nam: 'a' })).toThrow('nam');
  });
});

describe('the name of a share', () => {
  it.each(['a', 'a-1', 'x'.repeat(32)])('may be "%s"', (name) => {
    expect(() => checkShareName(name)).not.toThrow();
  });

  it.each(['', 'A', 'a b', 'ä', 'x'.repeat(33), 'a_b', '!a', 'a!', 7])('may not be "%s"', (name) => {
    expect(() => checkShareName(name as string)).toThrow('name');
  });
});
