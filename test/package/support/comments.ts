import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';
import { ENTRY_POINTS } from '../../../scripts/entry-points.ts';

/** A public function, value or method of the client, and the programs in its comment. */
export interface Commented {
  readonly name: string;
  readonly entry: string;
  readonly examples: readonly string[];
}

/** Reads the comments of everything that can be called or used at run time, other than classes. */
export function readComments(): readonly Commented[] {
  const exported = Object.entries(ENTRY_POINTS).flatMap(([entry, path]) => {
    const file = parse(path);
    return file.statements.flatMap((statement) => {
      if (!ts.isExportDeclaration(statement)) return commentedIn(statement, file, entry);
      const { exportClause, moduleSpecifier, isTypeOnly } = statement;
      if (isTypeOnly || !exportClause || !ts.isNamedExports(exportClause)) return [];
      if (!moduleSpecifier || !ts.isStringLiteral(moduleSpecifier)) return [];
      const names = exportClause.elements.filter((one) => !one.isTypeOnly).map((one) => one.name.text);
      const source = parse(posix.join(posix.dirname(path), moduleSpecifier.text));
      const found = source.statements.flatMap((one) => commentedIn(one, source, entry));
      return found.filter(({ name }) => names.includes(name));
    });
  });
  return [...exported, ...methodsOf('src/client/client.ts', 'Client')];
}

function methodsOf(path: string, name: string): Commented[] {
  const file = parse(path);
  return file.statements.flatMap((statement) => {
    if (!ts.isInterfaceDeclaration(statement) || statement.name.text !== name) return [];
    const callable = statement.members.filter(
      (one) => ts.isMethodSignature(one) || one.name?.getText(file) === 'fetch',
    );
    return callable
      .filter((one) => one.name && ts.isIdentifier(one.name))
      .map((one) => ({
        name: `${name}.${one.name?.getText(file)}`,
        entry: 'stacks-quota',
        examples: examplesOf(one, file),
      }));
  });
}

function commentedIn(statement: ts.Statement, file: ts.SourceFile, entry: string): Commented[] {
  const names = namesOf(statement);
  const isExported =
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (!isExported) return [];
  return names.flatMap((name) =>
    name ? [{ name: name.getText(file), entry, examples: examplesOf(statement, file) }] : [],
  );
}

function namesOf(statement: ts.Statement): readonly (ts.BindingName | undefined)[] {
  if (ts.isFunctionDeclaration(statement)) return [statement.name];
  return ts.isVariableStatement(statement) ? statement.declarationList.declarations.map(({ name }) => name) : [];
}

function examplesOf(node: ts.Node, file: ts.SourceFile): string[] {
  const comments = ts.getJSDocCommentsAndTags(node).map((comment) => comment.getText(file));
  const text = comments.join('\n').replace(/^\s*\* ?/gm, '');
  return Array.from(text.matchAll(/@example\n```ts\n([\s\S]*?)```/g), ([, code = '']) => code);
}

function parse(path: string): ts.SourceFile {
  return ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
}
