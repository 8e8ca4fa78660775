/** A program that a document shows, in one block or in several that go on from each other. */
export interface Snippet {
  /** The heading it stands under. */
  readonly heading: string;
  /** The document with every line blank that is not the program's, so that an error is on the line where the reader sees it. */
  readonly code: string;
}

/**
 * The programs of a Markdown document that are to be tried: a block marked `ts test` begins one,
 * a block marked `ts test continued` goes on with the one before it.
 */
export function readSnippets(markdown: string): readonly Snippet[] {
  const lines = markdown.split('\n');
  const programs: { heading: string; own: Set<number> }[] = [];
  let heading = '';
  let fence: string | undefined;

  for (const [number, line] of lines.entries()) {
    if (line.startsWith('```')) {
      fence = fence === undefined ? line.slice(3).trim() : undefined;
      if (fence === 'ts test') programs.push({ heading, own: new Set() });
    } else if (fence?.startsWith('ts test')) programs.at(-1)?.own.add(number);
    else if (fence === undefined && line.startsWith('#')) heading = line.replace(/^#+\s*/, '');
  }
  return programs.map(({ heading, own }) => ({
    heading,
    code: lines.map((line, number) => (own.has(number) ? line : '')).join('\n'),
  }));
}
