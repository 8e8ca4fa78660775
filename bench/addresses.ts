import { readFileSync } from 'node:fs';

/** Addresses for the calls, from the examples. */
export const ADDRESSES: readonly string[] = readFileSync(new URL('../examples/addresses.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');
