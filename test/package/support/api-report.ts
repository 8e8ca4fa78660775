import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';
import { ENTRY_POINTS } from '../../../scripts/entry-points.ts';

/** Every public name of the package with its declaration, by entry point, and the types that those mention. In Markdown. */
export function apiReport(): string {
  const source = new PublicSource(Object.values(ENTRY_POINTS));
  const chapters = Object.entries(ENTRY_POINTS).map(([entry, path]) => ({ entry, names: source.exportsOf(path) }));
  const exported = new Set(chapters.flatMap(({ names }) => names));
  const reached = new Set(exported);
  for (const name of reached) for (const mentioned of source.mentionedBy(name)) reached.add(mentioned);
  const others = [...reached].filter((name) => !exported.has(name));
  return [
    ...chapters.map(({ entry, names }) => chapter(`\`${entry}\``, source, names)),
    chapter('Mentioned, but not exported', source, others),
  ].join('\n');
}

function chapter(title: string, source: PublicSource, names: readonly ts.Symbol[]): string {
  const sorted = names.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const declarations = sorted.flatMap((name) => source.declarationsOf(name).map((statement) => statement.getText()));
  return `## ${title}\n\n\`\`\`ts fragment\n${declarations.join('\n')}\n\`\`\`\n`;
}

/** The source as its users see it. */
class PublicSource {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  /** The declaration files, by the source they are emitted from. */
  readonly #emitted = new Map<string, ts.SourceFile>();

  constructor(paths: readonly string[]) {
    const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
    // Names of the language are not followed.
    this.#program = ts.createProgram(paths, { ...options, noLib: true, types: [] });
    this.#checker = this.#program.getTypeChecker();
  }

  exportsOf(path: string): readonly ts.Symbol[] {
    const file = this.#program.getSourceFile(path);
    const module = file && this.#checker.getSymbolAtLocation(file);
    if (!module) throw new Error(`${path} is no module`);
    return this.#checker.getExportsOfModule(module).map((name) => this.#original(name));
  }

  /** Names of this package that occur in the declaration of a name. */
  mentionedBy(name: ts.Symbol): readonly ts.Symbol[] {
    const meaning = ts.SymbolFlags.Type | ts.SymbolFlags.Value | ts.SymbolFlags.Alias;
    const words = this.declarationsOf(name).flatMap((statement) => [...typesIn(statement)]);
    return words.flatMap((word) => {
      const found = this.#checker.resolveName(word, fileOf(name), meaning, false);
      const original = found && this.#original(found);
      return original && fileOf(original) ? [original] : [];
    });
  }

  /** What declares a name in the `.d.ts` of its file, without comments and without what is internal. */
  declarationsOf(name: ts.Symbol): readonly ts.Statement[] {
    const file = fileOf(name);
    return file ? this.#emit(file).statements.filter((statement) => namesOf(statement).includes(name.name)) : [];
  }

  #original(name: ts.Symbol): ts.Symbol {
    return name.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(name) : name;
  }

  #emit({ fileName }: ts.SourceFile): ts.SourceFile {
    const compilerOptions = { ...this.#program.getCompilerOptions(), removeComments: true, stripInternal: true };
    const text = (): string =>
      ts.transpileDeclaration(readFileSync(fileName, 'utf8'), { fileName, compilerOptions }).outputText;
    const file = this.#emitted.get(fileName) ?? ts.createSourceFile(fileName, text(), ts.ScriptTarget.Latest, true);
    this.#emitted.set(fileName, file);
    return file;
  }
}

/** The file of this package that declares a name. */
function fileOf(name: ts.Symbol): ts.SourceFile | undefined {
  const file = name.declarations?.[0]?.getSourceFile();
  return file && resolve(file.fileName).startsWith(resolve('src')) ? file : undefined;
}

function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  const { name } = statement as Partial<ts.DeclarationStatement>;
  return name ? [name.text] : [];
}

/** The words in a declaration that name types: those of type references, of heritage and of `typeof`. */
function* typesIn(node: ts.Node): Generator<string> {
  if (ts.isTypeReferenceNode(node)) yield firstOf(node.typeName);
  if (ts.isTypeQueryNode(node)) yield firstOf(node.exprName);
  if (ts.isExpressionWithTypeArguments(node)) yield node.expression.getText();
  for (const child of node.getChildren()) yield* typesIn(child);
}

function firstOf(name: ts.EntityName): string {
  return ts.isIdentifier(name) ? name.text : firstOf(name.left);
}
