import { channel } from 'node:diagnostics_channel';
import { existsSync, readFileSync } from 'node:fs';
import { basename, posix } from 'node:path';
import { mock } from 'node:test';
import { createMockService } from 'stacks-quota/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readDocuments, writePrograms } from './support/documents.ts';

const KEY = 'key-of-the-readme';

const documents = readDocuments();
const programs = writePrograms(documents, 'documents');

// A program that replaces timers puts them back; if it fails, the next one must not wait for timers that stand still.
const real = { setTimeout, clearTimeout, Date, now: performance.now };

afterEach(() => {
  const left = { setTimeout, clearTimeout, Date, now: performance.now };
  vi.useRealTimers();
  mock.timers.reset();
  mock.restoreAll();
  expect(left).toEqual(real);
});

describe('the documents', () => {
  it('show no program untried: what is none is marked as a fragment', () => {
    const marks = documents.flatMap(({ path, text }) =>
      (text.match(/^```ts.*/gm) ?? []).map((mark) => ({ path, mark })),
    );
    expect(marks.filter(({ mark }) => !/^```ts (test|test continued|worker|fragment)$/.test(mark))).toEqual([]);
  });

  it.for(programs)('show a program that runs, in $path under “$heading”', async ({ file, output }) => {
    const service = createMockService({ origin: 'https://api.hiro.so', keys: [KEY, 'a-key', 'b-key'] });
    vi.stubGlobal('fetch', service.fetch);
    vi.stubEnv('STACKS_API_KEY', KEY);
    const print = vi.spyOn(console, 'log').mockImplementation(() => {});
    const wasHeard = channel('stacks-quota:limited').hasSubscribers;
    await import(file);
    // Other tests of this process would print what it prints.
    expect(channel('stacks-quota:limited').hasSubscribers).toBe(wasHeard);
    expect(service.limited).toBe(0);
    if (output !== undefined) expect(print.mock.calls.map((line) => line.join(' ')).join('\n')).toBe(output);
  });

  it.for(documents)('link to what is there, from $path', ({ path, text }) => {
    const targets = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target);
    const own = targets.filter((target) => !/^https?:/.test(target));
    expect(own.filter((target) => !isThere(path, target))).toEqual([]);
  });
});

it.for(documents.filter(({ path }) => !path.includes('/')))(
  '$path names files and folders that are there',
  ({ text }) => {
    const named = Array.from(
      text.matchAll(/`((?:src|test|bench|docs|examples|scripts|\.ci)\/[\w./-]+)`/g),
      ([, path = '']) => path,
    );
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  },
);

describe('the decisions', () => {
  const notes = documents.filter(({ path }) => /^docs\/decisions\/\d/.test(path));

  it('have a number each, and no two the same', () => {
    const numbers = notes.map(({ path }) => basename(path).slice(0, 4));
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
  });

  it('are listed by their titles', () => {
    const list = readFileSync('docs/decisions/README.md', 'utf8');
    const rows = notes.map(({ path, text }) => {
      const title = text.slice(2, text.indexOf('\n'));
      return `| [${basename(path).slice(0, 4)}](${basename(path)}) | ${title} |`;
    });
    expect(rows.filter((row) => !list.includes(row))).toEqual([]);
  });
});

/** Whether a link from a document leads to a file and, if it names one, to a heading in it. */
function isThere(from: string, target: string): boolean {
  const [place = '', anchor] = target.split('#');
  const path = place === '' ? from : posix.join(posix.dirname(from), place);
  if (!existsSync(path)) return false;
  return anchor === undefined || anchorsOf(readFileSync(path, 'utf8')).includes(anchor);
}

/** The names that headings are linked by: in small letters, hyphens for spaces, and no punctuation. */
function anchorsOf(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '');
  return Array.from(prose.matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
