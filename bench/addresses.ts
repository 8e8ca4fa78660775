import { readFileSync } from 'node:fs';

/** Addresses to ask about: those of the examples. */
export const ADDRESSES: readonly string[] = readFileSync(new URL('../examples/addresses.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');
