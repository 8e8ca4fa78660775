import type { Scenario } from './scenario.ts';
import type { Subject } from './subject.ts';
import type { Measured } from './trial.ts';

/** All runs of one subject in one scenario. */
export interface Row {
  readonly subject: Subject;
  readonly runs: readonly Measured[];
}

/** A scenario's table in GitHub Markdown, one row a subject, followed by the messages of calls that failed. */
export function tableOf({ name, columns }: Scenario, rows: readonly Row[]): string {
  const lines = [
    ['', ...columns.map(({ title }) => title)],
    ['---', ...columns.map(() => '--:')],
    ...rows.map(({ subject, runs }) => [subject.name, ...columns.map(({ cell }) => cell(runs))]),
  ];
  const notes = rows.flatMap(({ subject, runs }) =>
    [...new Set(runs.flatMap(({ failures }) => failures))]
      .slice(0, 3)
      .map((message) => `- ${subject.name}: ${message}`),
  );
  const table = lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  return `### ${name}\n\n${table}\n${notes.length > 0 ? `\n${notes.join('\n')}\n` : ''}`;
}
