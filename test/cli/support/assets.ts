import { readFileSync } from 'node:fs';
import type { TestWorld } from './world.ts';

/** Addresses to ask for: all of the example's. */
export const ALL: readonly string[] = readFileSync('examples/addresses.txt', 'utf8').trim().split('\n');

/** The first of them, which take a while. */
export const MANY: readonly string[] = ALL.slice(0, 60);

/** One line of what is written. */
type Line = { readonly address: string; readonly total: number; readonly results: readonly { tx_id: string }[] };

/** The lines that were written, which end with a line feed each. */
export const linesIn = (text: string): Line[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** The addresses that they are of. */
export const addressesIn = (text: string): string[] => linesIn(text).map(({ address }) => address);

/** What standard error says in the end. */
export const summaryOf = (world: TestWorld): string | undefined => /^Fetched .*$/m.exec(world.stderr.text)?.[0];
