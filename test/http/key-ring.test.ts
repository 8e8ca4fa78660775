import { expect, it } from 'vitest';
import { createKeyRing } from '../../src/http/key-ring.ts';

/** Asks for each of some keys in turn. */
function numbersOf(keys: readonly (string | undefined)[]) {
  const given = [...keys];
  const ring = createKeyRing(() => given.shift());
  return { ring, numbers: keys.map(() => ring.ask()) };
}

it('a key has the same number whenever it is given, and none is 0', () => {
  const { ring, numbers } = numbersOf(['a', 'a', undefined, 'b', 'a']);
  expect(numbers).toEqual([1, 1, 0, 2, 1]);
  expect([0, 1, 2, 3].map(ring.secretOf)).toEqual([undefined, 'a', 'b', undefined]);
});

it('the eight keys that were given last are remembered', () => {
  const eight = Array.from('abcdefgh');
  const all = numbersOf(eight);
  expect(all.numbers.map((number) => all.ring.secretOf(Number(number)))).toEqual(eight);

  const { ring, numbers } = numbersOf([...eight, 'a', 'i', 'b']);
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 1, 9, 10]);
  expect([1, 2, 3, 9, 10].map(ring.secretOf)).toEqual(['a', undefined, undefined, 'i', 'b']);
});
