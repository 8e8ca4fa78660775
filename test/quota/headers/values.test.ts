import { expect, it } from 'vitest';
import { readList } from '../../../src/quota/headers/values.ts';

it('of a value that is too long, the first 256 characters are offered, and as one', () => {
  const length = (part: string): number => part.length;
  expect(readList('5,'.repeat(200), length, Math.min)).toBe(256);
  expect(readList('x'.repeat(256), length, Math.min)).toBe(256);
});
