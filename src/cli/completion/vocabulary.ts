import type { KnownFlags } from '../flags.ts';

/** A command as shells complete it. */
export interface CommandWords {
  readonly name: string;
  readonly summary: string;
  readonly flags: KnownFlags;
  /** Its arguments, where they are known words. */
  readonly words: readonly string[];
}

/** All that can be completed. */
export type Vocabulary = readonly CommandWords[];

/** One flag as it is typed: `--out`, `-o`. */
export function spellings(name: string, short: string | undefined): string[] {
  return [`--${name}`, ...(short ? [`-${short}`] : [])];
}

/** Whether the value of a flag is the name of a file. */
export function isFile(value: string | undefined): boolean {
  return value === 'FILE';
}
