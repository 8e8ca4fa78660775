import { createHash } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';

/** A file is overwritten in place, which the system writes to the disk now and then: a rename would be written each time. */
const OVERWRITE = constants.O_WRONLY | constants.O_CREAT;

/**
 * A text in two files that are overwritten in turn, so that a process that is killed while it writes leaves the text before whole. A
 * text is read by another process than wrote it: the next host. Not being able to write is no failure: the next host then begins
 * with an older text, or with none.
 */
export class BooksFile {
  readonly #paths: readonly [string, string];
  #count: number;
  /** The text that was stored when this process opened it. */
  readonly text: string | undefined;

  /** @param path - where the files are, less what tells the two apart. */
  constructor(path: string) {
    this.#paths = [`${path}.0`, `${path}.1`];
    const [first, second] = this.#paths.map(readStored);
    const latest = (first?.count ?? -1) > (second?.count ?? -1) ? first : second;
    this.#count = latest?.count ?? 0;
    this.text = latest?.text;
  }

  /** Replaces the text. */
  write(text: string): void {
    const count = ++this.#count;
    try {
      const file = openSync(this.#paths[count % 2 === 0 ? 0 : 1], OVERWRITE, 0o600);
      try {
        writeSync(file, `${count} ${digestOf(count, text)} ${text}\n`, 0);
      } finally {
        closeSync(file);
      }
    } catch {
      // The directory was removed, or the disk is full.
    }
  }
}

/** The first line, if it is whole: a longer text may have been there before. */
function readStored(path: string): { readonly count: number; readonly text: string } | undefined {
  try {
    const [, number, digest, text = ''] = /^(\d{1,15}) ([0-9a-f]+) (.*)\n/.exec(readFileSync(path, 'utf8')) ?? [];
    const count = Number(number);
    return digest === digestOf(count, text) ? { count, text } : undefined;
  } catch {
    return undefined;
  }
}

function digestOf(count: number, text: string): string {
  return createHash('sha1').update(`${count} ${text}`).digest('hex');
}
