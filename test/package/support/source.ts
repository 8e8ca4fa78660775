import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';

/** What one file of the source brings in from another file or from a package. */
export interface Import {
  /** A path such as `src/clock.ts`, or the name of a package; `node:` stands for all of Node's own modules. */
  readonly from: string;
  /** Whether nothing of it is left at run time. */
  readonly typeOnly: boolean;
}

/** What one file of the source says, as far as the architecture cares. */
export interface Source {
  /** From the root of the package, such as `src/quota/time/periods.ts`. */
  readonly path: string;
  readonly imports: readonly Import[];
  /** The names it exports, types with `type ` before them; `*` where it exports all of another file. */
  readonly exports: readonly string[];
  /** The names it declares, local ones included. */
  readonly names: readonly string[];
  /** Every name, property access (`Date.now`), call of `new` and modifier (`async`) that occurs in it. */
  readonly phrases: ReadonlySet<string>;
  /** Every piece of text between quotes. */
  readonly texts: readonly string[];
}

/** The source files, once they were read: to parse them all takes a second. */
let sources: readonly Source[] | undefined;

/** Reads every source file under `src`. */
export function readSources(): readonly Source[] {
  sources ??= globSync('src/**/*.ts').sort().map(readSource);
  return sources;
}

/** The names that one source file exports, types with `type ` before them. */
export function readExports(path: string): readonly string[] {
  return parse(path).statements.flatMap(exportsOf);
}

function parse(path: string): ts.SourceFile {
  // What comments say, and which node a node is of, take longer to find than all else.
  const options = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone };
  return ts.createSourceFile(path, readFileSync(path, 'utf8'), options, false);
}

/** Reads one source file with TypeScript's parser, so that comments and layout do not matter. */
function readSource(path: string): Source {
  const file = parse(path);
  const nodes = descendants(file);
  return {
    path: path.replaceAll('\\', '/'),
    imports: nodes.flatMap((node) => importOf(node, path)),
    exports: file.statements.flatMap(exportsOf),
    names: nodes.flatMap(nameOf),
    phrases: new Set(nodes.filter(isPhrase).map((node) => node.getText(file))),
    texts: nodes.flatMap((node) => (ts.isStringLiteralLike(node) || isTemplatePiece(node) ? node.text : [])),
  };
}

/** How many lines of a file are neither blank nor comment alone: those that a token is on. Only the parser knows templates and regular expressions from comments. */
export function codeLinesOf(path: string): number {
  const file = parse(path);
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(file);
    for (const child of children) visit(child);
    if (children.length > 0) return;
    const first = file.getLineAndCharacterOfPosition(node.getStart(file)).line;
    const last = file.getLineAndCharacterOfPosition(node.getEnd()).line;
    for (let line = first; line <= last; line++) lines.add(line);
  };
  for (const statement of file.statements) visit(statement);
  return lines.size;
}

function descendants(node: ts.Node, found: ts.Node[] = []): readonly ts.Node[] {
  ts.forEachChild(node, (child) => {
    found.push(child);
    descendants(child, found);
  });
  return found;
}

function importOf(node: ts.Node, path: string): Import[] {
  const found = (specifier: ts.Node | undefined, typeOnly: boolean): Import[] =>
    specifier && ts.isStringLiteral(specifier) ? [{ from: targetOf(specifier.text, path), typeOnly }] : [];

  if (ts.isImportDeclaration(node)) {
    const clause = node.importClause;
    return found(node.moduleSpecifier, clause?.phaseModifier === ts.SyntaxKind.TypeKeyword || namesOnlyTypes(clause));
  }
  if (ts.isExportDeclaration(node)) return found(node.moduleSpecifier, node.isTypeOnly);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return found(node.argument.literal, true);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return found(node.arguments[0], false);
  return [];
}

function namesOnlyTypes(clause: ts.ImportClause | undefined): boolean {
  const bindings = clause?.namedBindings;
  return (
    clause?.name === undefined &&
    bindings !== undefined &&
    ts.isNamedImports(bindings) &&
    bindings.elements.every((element) => element.isTypeOnly)
  );
}

function targetOf(specifier: string, path: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier);
  if (specifier.startsWith('node:')) return 'node:';
  const [scope = '', name = ''] = specifier.split('/');
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
}

function exportsOf(statement: ts.Statement): string[] {
  if (ts.isExportDeclaration(statement)) {
    const { exportClause, isTypeOnly } = statement;
    if (exportClause === undefined || ts.isNamespaceExport(exportClause)) return ['*'];
    return exportClause.elements.map((one) => `${isTypeOnly || one.isTypeOnly ? 'type ' : ''}${one.name.text}`);
  }
  if (!ts.canHaveModifiers(statement)) return [];
  if (!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.flatMap(nameOf);
  const kind = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement) ? 'type ' : '';
  return nameOf(statement).map((name) => kind + name);
}

function nameOf(node: ts.Node): string[] {
  if (ts.isImportSpecifier(node) || ts.isExportSpecifier(node)) return [];
  const name = (node as Partial<ts.NamedDeclaration>).name;
  return name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) && !ts.isPropertyAccessExpression(node)
    ? [name.text]
    : [];
}

function isPhrase(node: ts.Node): boolean {
  return (
    ts.isIdentifier(node) ||
    ts.isPropertyAccessExpression(node) ||
    ts.isNewExpression(node) ||
    ts.isAwaitExpression(node) ||
    ts.isModifier(node)
  );
}

function isTemplatePiece(node: ts.Node): node is ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail {
  return ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
}
