import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** Calls that make a test, and one of the tests themselves, which makes a test of each of its rows. */
const TESTS = ['it', 'test'];
const TABLE = 'rows';

/** The titles of files that were read before. */
const read = new Map<string, readonly string[]>();

/**
 * The titles of a file's tests, each behind those of its groups, separated by spaces. The title of a test that is made of a
 * table is as in the source: `with %i is followed`. Skipped tests are left out.
 */
export function titlesIn(path: string): readonly string[] {
  const known = read.get(path);
  if (known) return known;
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, false);
  const titles = [...titlesBelow(file, file, [])];
  read.set(path, titles);
  return titles;
}

function* titlesBelow(node: ts.Node, file: ts.SourceFile, groups: readonly string[]): Generator<string> {
  let inside = groups;
  if (ts.isCallExpression(node)) {
    const [first] = node.arguments;
    const [maker = '', ...ways] = wordsOf(node.expression);
    const title = first && textOf(first, file);
    if (title !== undefined && maker === 'describe') inside = [...groups, title];
    if (title !== undefined && TESTS.includes(maker) && !ways.some((way) => /^(skip|todo|fails)$/.test(way)))
      yield [...groups, title].join(' ');
    if (maker === TABLE) for (const title of firstCells(node.arguments, file)) yield [...groups, title].join(' ');
  }
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* titlesBelow(child, file, inside);
}

/** The names along a callee: `it`, `each` of `it.each(table)`. */
function wordsOf(callee: ts.Expression): readonly string[] {
  if (ts.isIdentifier(callee)) return [callee.text];
  if (ts.isPropertyAccessExpression(callee)) return [...wordsOf(callee.expression), callee.name.text];
  return ts.isCallExpression(callee) ? wordsOf(callee.expression) : [];
}

function textOf(node: ts.Node, file: ts.SourceFile): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  return ts.isTemplateExpression(node) ? node.getText(file).slice(1, -1) : undefined;
}

function firstCells(rows: readonly ts.Node[], file: ts.SourceFile): readonly string[] {
  return rows.flatMap((row) => {
    const [cell] = ts.isArrayLiteralExpression(row) ? row.elements : [];
    return (cell && textOf(cell, file)) ?? [];
  });
}
