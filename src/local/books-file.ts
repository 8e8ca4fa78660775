import { hash } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from 'node:fs';

/** A file is overwritten in place, which the system writes to the disk now and then: a rename would be written each time. */
const OVERWRITE = constants.O_WRONLY | constants.O_CREAT;

/** Lines of a file, after which the text is written anew: reading so many entries takes some milliseconds. */
const MOST_LINES = 100;

/**
 * A text, and entries that say how it has changed since, one a line. The text is written to one of two files in turn, so a process that
 * is killed while it writes leaves the other file whole for the next host. Not being able to write is no failure: both files are removed then, and
 * the next host begins with nothing.
 */
export class BooksFile {
  readonly #paths: readonly [string, string];
  #count: number;
  #lines = MOST_LINES;
  #end = 0;
  /** What was stored when this process opened the file: a text and the entries after it, or nothing. */
  readonly stored: readonly string[];

  /** @param path - where the files are, less what tells the two apart. */
  constructor(path: string) {
    this.#paths = [`${path}.0`, `${path}.1`];
    const [first, second] = this.#paths.map(readStored);
    const latest = (first?.count ?? -1) > (second?.count ?? -1) ? first : second;
    this.#count = latest?.count ?? 0;
    this.stored = latest?.texts ?? [];
  }

  /**
   * Adds an entry, or replaces the text and all entries.
   *
   * @param text - returns the present text, which includes the change that the entry says.
   */
  add(entry: string, text: () => string): void {
    const isNew = this.#lines >= MOST_LINES;
    const [count, place, at] = isNew ? [this.#count + 1, 0, 0] : [this.#count, this.#lines, this.#end];
    const line = Buffer.from(`${lineOf(count, place, isNew ? text() : entry)}\n`);
    // Until it is written: after half a line the text is written anew.
    this.#lines = MOST_LINES;
    if (!isWritten(this.#paths[count % 2 === 0 ? 0 : 1], line, at)) {
      this.#forget();
      return;
    }
    this.#count = count;
    this.#lines = place + 1;
    this.#end = at + line.length;
  }

  /** Removes both files, which are older than the state: a host that read them would grant units twice; a host without files learns the state from the other processes. */
  #forget(): void {
    for (const path of this.#paths) {
      try {
        rmSync(path);
      } catch {
        // It is not there, or the directory is not writable any more.
      }
    }
  }
}

/** Writes a line into a file. False: the directory was removed, or the disk is full. */
function isWritten(path: string, line: Buffer, at: number): boolean {
  try {
    const file = openSync(path, OVERWRITE, 0o600);
    try {
      return writeSync(file, line, 0, line.length, at) === line.length;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

/** The lines from the first on that are whole and follow each other: other lines may have been there before. */
function readStored(path: string): { readonly count: number; readonly texts: readonly string[] } | undefined {
  try {
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    const count = Number.parseInt(lines[0] ?? '', 10);
    const texts: string[] = [];
    for (const line of lines) {
      const text = line.slice(lineOf(count, 0, '').length);
      if (line !== lineOf(count, texts.length, text)) break;
      texts.push(text);
    }
    return texts.length > 0 ? { count, texts } : undefined;
  } catch {
    return undefined;
  }
}

function lineOf(count: number, place: number, text: string): string {
  return `${count} ${hash('sha1', `${count} ${place} ${text}`)} ${text}`;
}
