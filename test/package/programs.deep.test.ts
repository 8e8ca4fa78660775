import ts from 'typescript';
import { expect, it } from 'vitest';
import { type Program, readDocuments, writePrograms } from './support/documents.ts';

it('the programs that the documents show compile', () => {
  expect(complaintsAbout(writePrograms(readDocuments(), 'compiled-documents'))).toEqual([]);
});

/** What the compiler has against some programs, with the package's own settings. */
function complaintsAbout(programs: readonly Program[]): string[] {
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
