import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { titlesIn } from './support/titles.ts';

const PAGE = 'docs/faults.md';

/** How many faults the catalogue has. */
const FAULTS = 95;

/** One row: its number and its last cell, which names tests. */
interface Row {
  readonly number: number;
  readonly tests: string;
}

const rows: readonly Row[] = Array.from(
  readFileSync(PAGE, 'utf8').matchAll(/^\| (\d+) \|.*\| ([^|]*) \|$/gm),
  ([, number, tests = '']) => ({ number: Number(number), tests }),
);

/** The tests that a cell names: `[http/key](../test/http/key.test.ts) “that was replaced”`. */
function namedIn({ tests }: Row): { shown: string; path: string; title: string }[] {
  return Array.from(
    tests.matchAll(/\[([^\]]+)\]\(([^)]+)\) “([^”]+)”/g),
    ([, shown = '', target = '', title = '']) => ({
      shown,
      path: posix.join(posix.dirname(PAGE), target),
      title,
    }),
  );
}

/** The tests of a file that a title may mean: the one that has it, or else those that have it as a part. */
function meantBy(title: string, titles: readonly string[]): readonly string[] {
  return titles.includes(title) ? [title] : titles.filter((one) => one.includes(title));
}

describe('the table of faults', () => {
  it('has a row for each fault, in their order', () => {
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: FAULTS }, (_, at) => at + 1));
  });

  it('names tests in each row, and says nothing else there', () => {
    const wrong = rows.filter((row) => {
      const cell = namedIn(row).map(({ shown, path, title }) => `[${shown}](../${path}) “${title}”`);
      return cell.length === 0 || cell.join('<br>') !== row.tests;
    });
    expect(wrong).toEqual([]);
  });

  it('names only tests that there are, each by what it alone is called', () => {
    const wrong = rows.flatMap((row) =>
      namedIn(row).flatMap(({ shown, path, title }) => {
        if (!existsSync(path)) return `${row.number}: there is no ${path}`;
        if (path.replace(/^test\/|(\.test)?\.ts$/g, '') !== shown) return `${row.number}: ${shown} is not ${path}`;
        const meant = meantBy(title, titlesIn(path));
        return meant.length === 1 ? [] : `${row.number}: ${path} has ${meant.length} tests “${title}”`;
      }),
    );
    expect(wrong).toEqual([]);
  });
});
