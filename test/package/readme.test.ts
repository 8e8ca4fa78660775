import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createMockService } from 'stacks-quota/testing';
import ts from 'typescript';
import { describe, expect, it, vi } from 'vitest';
import { readSnippets } from './snippets.ts';

const KEY = 'key-of-the-readme';
const FOLDER = resolve('node_modules/.cache/readme');

const readme = readFileSync('README.md', 'utf8');
const snippets = readSnippets(readme).map((snippet, index) => ({ ...snippet, file: `${FOLDER}/${index + 1}.ts` }));

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
for (const { file, code } of snippets) writeFileSync(file, code);

describe('the README', () => {
  it('begins with the commands to try it and to test it', () => {
    const commands = readme.match(/npm ci && npm \w+/g) ?? [];
    expect(commands.slice(0, 2)).toEqual(['npm ci && npm start', 'npm ci && npm test']);
  });

  it('names the same test command that CI runs', () => {
    expect(readFileSync('.ci/run', 'utf8')).toContain('npm ci && npm test');
  });

  it('shows no program untried: what is none is marked as a fragment', () => {
    const marks = readme.match(/^```ts.*/gm) ?? [];
    expect(marks.filter((mark) => !/^```ts (test|test continued|fragment)$/.test(mark))).toEqual([]);
  });

  it('shows programs that compile', { timeout: 60_000 }, () => {
    expect(complaintsAbout(snippets.map(({ file }) => file))).toEqual([]);
  });

  it.for(snippets)('shows a program that runs, under “$heading”', async ({ file }) => {
    const service = createMockService({ origin: 'https://api.hiro.so', keys: [KEY] });
    vi.stubGlobal('fetch', service.fetch);
    vi.stubEnv('STACKS_API_KEY', KEY);
    vi.spyOn(console, 'log').mockImplementation(() => {});
    await import(file);
    expect(service.limited).toBe(0);
  });
});

/** What the compiler has against some files, with the package's own settings. */
function complaintsAbout(files: readonly string[]): string[] {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
  const program = ts.createProgram(files, { ...options, isolatedDeclarations: false, declaration: false });
  return files.flatMap((name) => {
    const file = program.getSourceFile(name);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ messageText, start = 0 }) => {
      const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      return `README.md:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  });
}
