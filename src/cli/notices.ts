import type { Environment } from './environment.ts';
import { terminalOf, wrap } from './terminal.ts';

type Place = Pick<Environment, 'stderr' | 'env'>;

/** Writes errors on standard error, each with the name of the program before it, because logs mix those of many. */
export async function writeErrors(sentences: readonly string[], place: Place): Promise<void> {
  await writeNotices(
    sentences.map((sentence) => `stacks-quota: ${sentence}`),
    place,
  );
}

/** Writes a warning while the program goes on, which it does also where standard error is closed. */
export function writeWarning(sentence: string, place: Place): void {
  writeErrors([sentence], place).catch(() => {});
}

/** Writes lines for people on standard error, wrapped between words where it is a terminal. */
export async function writeNotices(lines: readonly string[], { stderr, env }: Place): Promise<void> {
  if (lines.length === 0) return;
  const { columns } = terminalOf(stderr, env);
  const text = stderr.isTTY ? lines.flatMap((line) => wrap(line, columns)) : lines;
  await stderr.write(`${text.join('\n')}\n`);
}
