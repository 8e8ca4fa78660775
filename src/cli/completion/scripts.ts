import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import type { Vocabulary } from './vocabulary.ts';
import { zshScript } from './zsh.ts';

/** The shells that there is a script for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

const SCRIPTS: Readonly<Record<Shell, (vocabulary: Vocabulary) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** The script that completes the program in a shell. */
export function scriptFor(shell: Shell, vocabulary: Vocabulary): string {
  return SCRIPTS[shell](vocabulary);
}
