/** A program that a document shows, in one block or in several that go on from each other. */
export interface Snippet {
  /** The heading it stands under. */
  readonly heading: string;
  /** The document with every line blank that is not the program's, so that an error is on the line where the reader sees it. */
  readonly code: string;
  /** What the document says that it prints, if it does. */
  readonly output: string | undefined;
}

/** The programs of a Markdown document that run on Cloudflare Workers: blocks marked `ts worker`. */
export function readWorkers(markdown: string): readonly string[] {
  return Array.from(markdown.matchAll(/^```ts worker\n([\s\S]*?)^```/gm), ([, code = '']) => code);
}

/**
 * The programs of a Markdown document that are to be tried: a block marked `ts test` begins one,
 * a block marked `ts test continued` goes on with the one before it, and one marked `text output` says what it prints.
 */
export function readSnippets(markdown: string): readonly Snippet[] {
  const lines = markdown.split('\n');
  const programs: { heading: string; own: Set<number>; printed: string[] | undefined }[] = [];
  let heading = '';
  let fence: string | undefined;

  for (const [number, line] of lines.entries()) {
    const latest = programs.at(-1);
    if (line.startsWith('```')) {
      fence = fence === undefined ? line.slice(3).trim() : undefined;
      if (fence === 'ts test') programs.push({ heading, own: new Set(), printed: undefined });
      if (fence === 'text output' && latest) latest.printed = [];
    } else if (fence?.startsWith('ts test')) latest?.own.add(number);
    else if (fence === 'text output') latest?.printed?.push(line);
    else if (fence === undefined && line.startsWith('#')) heading = line.replace(/^#+\s*/, '');
  }
  return programs.map(({ heading, own, printed }) => ({
    heading,
    code: lines.map((line, number) => (own.has(number) ? line : '')).join('\n'),
    output: printed?.join('\n'),
  }));
}
