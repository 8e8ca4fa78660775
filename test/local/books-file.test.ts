import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BooksFile } from '../../src/local/books-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'books-file-'));
let files = 0;

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function newPath(): string {
  return join(directory, `${files++}.books`);
}

describe('the file of books', () => {
  it('has no text at first', () => {
    expect(new BooksFile(newPath()).text).toBeUndefined();
  });

  it('has the last text that was written, also if a longer one was there before', () => {
    const path = newPath();
    for (const text of ['a long text of the first time', 'another long text', 'short', 'é'])
      new BooksFile(path).write(text);
    expect(new BooksFile(path).text).toBe('é');
  });

  it('is closed to other users', () => {
    const path = newPath();
    new BooksFile(path).write('text');
    const [file = ''] = readdirSync(directory).filter((one) => join(directory, one).startsWith(path));
    expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600);
  });

  it.each([0, 1, 20, 50, 60, 61])('has the text before if the writing process was killed after %i bytes', (bytes) => {
    const path = newPath();
    const books = new BooksFile(path);
    for (const text of ['first text', 'other text', 'third text']) books.write(text);
    const [older, latest] = [`${path}.0`, `${path}.1`];
    const [before, whole] = [readFileSync(older), readFileSync(latest)];
    books.write('fourth txt');
    const written = readFileSync(older);
    // The pages that were written are new, and the others are still those of the text before the last.
    writeFileSync(older, Buffer.concat([written.subarray(0, bytes), before.subarray(bytes)]));
    expect(whole.length).toBe(written.length);
    expect(new BooksFile(path).text).toBe(bytes < written.length ? 'third text' : 'fourth txt');
  });

  it('is no failure where nothing can be written', () => {
    const books = new BooksFile(join(directory, 'none', 'at', 'all'));
    expect(() => books.write('text')).not.toThrow();
  });
});
