import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readSnippets, type Snippet } from './snippets.ts';

/** One of the package's documents. */
export interface Document {
  readonly path: string;
  readonly text: string;
}

/** A program that a document shows, in a file of its own. */
export interface Program extends Snippet {
  /** The document. */
  readonly path: string;
  readonly file: string;
}

/** Reads all documents. */
export function readDocuments(): readonly Document[] {
  const paths = ['*.md', 'docs/*.md', 'docs/decisions/**/*.md', '{bench,scripts}/**/*.md'].flatMap((pattern) =>
    globSync(pattern),
  );
  return paths.sort().map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(path, 'utf8') }));
}

/** Writes the programs that documents show to files in a new folder of that name. */
export function writePrograms(documents: readonly Document[], name: string): readonly Program[] {
  const folder = resolve('node_modules/.cache', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const programs = documents.flatMap(({ path, text }) =>
    readSnippets(text).map((snippet, index) => ({
      ...snippet,
      path,
      file: `${folder}/${path.replaceAll('/', '-')}-${index + 1}.ts`,
    })),
  );
  for (const { file, code } of programs) writeFileSync(file, code);
  return programs;
}
