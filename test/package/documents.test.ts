import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, posix, resolve } from 'node:path';
import { createMockService } from 'stacks-quota/testing';
import ts from 'typescript';
import { describe, expect, it, vi } from 'vitest';
import { readSnippets } from './support/snippets.ts';

const KEY = 'key-of-the-readme';
const FOLDER = resolve('node_modules/.cache/documents');

const paths = ['*.md', 'docs/*.md', 'docs/decisions/*.md', 'bench/**/*.md'].flatMap((pattern) => globSync(pattern));
const documents = paths.sort().map((path) => ({
  path: path.replaceAll('\\', '/'),
  text: readFileSync(path, 'utf8'),
}));
const snippets = documents.flatMap(({ path, text }) =>
  readSnippets(text).map((snippet, index) => ({
    ...snippet,
    path,
    file: `${FOLDER}/${path.replaceAll('/', '-')}-${index + 1}.ts`,
  })),
);

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
for (const { file, code } of snippets) writeFileSync(file, code);

describe('the documents', () => {
  it('show no program untried: what is none is marked as a fragment', () => {
    const marks = documents.flatMap(({ path, text }) =>
      (text.match(/^```ts.*/gm) ?? []).map((mark) => ({ path, mark })),
    );
    expect(marks.filter(({ mark }) => !/^```ts (test|test continued|fragment)$/.test(mark))).toEqual([]);
  });

  it('show programs that compile', { timeout: 60_000 }, () => {
    expect(complaintsAbout(snippets)).toEqual([]);
  });

  it.for(snippets)('show a program that runs, in $path under “$heading”', async ({ file, output }) => {
    const service = createMockService({ origin: 'https://api.hiro.so', keys: [KEY] });
    vi.stubGlobal('fetch', service.fetch);
    vi.stubEnv('STACKS_API_KEY', KEY);
    const print = vi.spyOn(console, 'log').mockImplementation(() => {});
    await import(file);
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

/** What the compiler has against some programs, with the package's own settings. */
function complaintsAbout(programs: readonly { readonly file: string; readonly path: string }[]): string[] {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
  const files = programs.map(({ file }) => file);
  const program = ts.createProgram(files, { ...options, isolatedDeclarations: false, declaration: false });
  return programs.flatMap(({ file: name, path }) => {
    const file = program.getSourceFile(name);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ messageText, start = 0 }) => {
      const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      return `${path}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  });
}
