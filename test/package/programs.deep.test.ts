import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { type Commented, readComments } from './support/comments.ts';
import { type Program, readDocuments, writePrograms } from './support/documents.ts';

it('the programs that the documents show compile', () => {
  expect(complaintsAbout(writePrograms(readDocuments(), 'compiled-documents'))).toEqual([]);
});

it('the fragments that documents show compile, with the imports, the client and the connection that they leave out', () => {
  const written = readDocuments().filter(({ path }) => path !== 'docs/api.md'); // declarations, made from the source
  const fragments = written.map(({ path, text }) => ({
    name: path.replaceAll('/', '-'),
    examples: Array.from(text.matchAll(/^```ts fragment\n([\s\S]*?)^```/gm), ([, code = '']) => code),
  }));
  expect(complaintsAbout(writeExamples(fragments, 'compiled-fragments'))).toEqual([]);
});

it('the examples in comments compile', () => {
  expect(complaintsAbout(writeExamples(readComments(), 'compiled-examples'))).toEqual([]);
});

/** Writes the examples to files of their own in a new folder, each with the imports that it leaves out, and with a client, a connection and an address. */
function writeExamples(
  shown: readonly Pick<Commented, 'name' | 'examples'>[],
  folderName: string,
): readonly ExampleFile[] {
  const folder = resolve('node_modules/.cache', folderName);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const known = readComments().filter(({ name }) => !name.includes('.'));
  return shown.flatMap(({ name, examples }) =>
    examples.map((code, index) => {
      const missing = known.filter((one) => !new RegExp(`import .*\\b${one.name}\\b.* from '${one.entry}'`).test(code));
      const imports = missing.map((one) => `import { ${one.name} } from '${one.entry}';`);
      const file = `${folder}/${name}-${index}.ts`;
      writeFileSync(file, `${PRELUDE}${imports.join(' ')}\n${code}`);
      return { path: name, file };
    }),
  );
}

const PRELUDE = `import { Redis } from 'ioredis'; import type { Client, Clock } from 'stacks-quota';
declare global { var client: Client; var redis: Redis; var address: string }
`;

type ExampleFile = Pick<Program, 'path' | 'file'>;

/** What the compiler has against some programs, with the package's own settings. */
function complaintsAbout(programs: readonly ExampleFile[]): string[] {
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
