import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BooksFile } from '../../src/local/books-file.ts';
import { testFolder } from '../support/folder.ts';

const { path: directory, newPath } = testFolder();

describe('the file of books', () => {
  it('has no text at first', () => {
    expect(new BooksFile(newPath()).stored).toEqual([]);
  });

  it('has the last text that was written, also if a longer one was there before', () => {
    const path = newPath();
    for (const text of ['a long text of the first time', 'another long text', 'short', 'é']) write(path, text);
    expect(new BooksFile(path).stored).toEqual(['é']);
    for (let count = 5; count <= 20; count++) {
      write(path, `text ${count}`);
      expect(new BooksFile(path).stored).toEqual([`text ${count}`]);
    }
  });

  it('has the entries since that text, and writes it anew after some', () => {
    const path = newPath();
    const books = new BooksFile(path);
    for (let count = 1; count <= 250; count++) {
      books.add(`entry ${count}`, () => `all ${count}`);
      const [text = '', ...entries] = new BooksFile(path).stored;
      const first = Number(text.slice('all '.length)) + 1;
      expect(entries).toEqual(Array.from({ length: count + 1 - first }, (_, index) => `entry ${first + index}`));
    }
    expect(new BooksFile(path).stored[0]).toBe('all 201');
  });

  it('has no entry that a longer text left behind', () => {
    const path = newPath();
    const books = new BooksFile(path);
    for (let count = 1; count <= 99; count++) books.add('entry', () => 'text');
    write(path, 'other');
    write(path, 'text');
    expect(new BooksFile(path).stored).toEqual(['text']);
  });

  it('is not kept open', () => {
    // The system gives the lowest number that is free.
    const freeNumber = (): number => {
      const file = openSync(directory, 'r');
      closeSync(file);
      return file;
    };
    const books = new BooksFile(newPath());
    const before = freeNumber();
    for (const entry of ['text', 'entry']) books.add(entry, () => 'text');
    expect(freeNumber()).toBe(before);
  });

  it('is closed to other users', () => {
    const path = newPath();
    write(path, 'text');
    const [file = ''] = readdirSync(directory).filter((one) => join(directory, one).startsWith(path));
    expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600);
  });

  it.each([0, 1, 20, 50, 60, 61])('has the text before if the writing process was killed after %i bytes', (bytes) => {
    const path = newPath();
    for (const text of ['first text', 'other text', 'third text']) write(path, text);
    const [older, latest] = [`${path}.0`, `${path}.1`];
    const [before, whole] = [readFileSync(older), readFileSync(latest)];
    write(path, 'fourth txt');
    const written = readFileSync(older);
    // The pages that were written are new, and the others are still those of the text before the last.
    writeFileSync(older, Buffer.concat([written.subarray(0, bytes), before.subarray(bytes)]));
    expect(whole.length).toBe(written.length);
    expect(new BooksFile(path).stored).toEqual([bytes < written.length ? 'third text' : 'fourth txt']);
  });

  it.each([2, 3])('has the text before if text %i is not whole', (count) => {
    const path = newPath();
    for (let text = 1; text <= count; text++) write(path, `text ${text}`);
    truncateSync(`${path}.${count % 2}`, 20);
    expect(new BooksFile(path).stored).toEqual([`text ${count - 1}`]);
  });

  it('has what was written before if the writing process was killed in the middle of an entry', () => {
    const path = newPath();
    const books = new BooksFile(path);
    books.add('', () => 'text');
    books.add('first', () => '');
    const { length } = readFileSync(`${path}.1`);
    books.add('second', () => '');
    for (let bytes = readFileSync(`${path}.1`).length - 1; bytes >= length; bytes--) {
      truncateSync(`${path}.1`, bytes);
      expect(new BooksFile(path).stored).toEqual(['text', 'first']);
    }
  });

  it.each([
    ['an entry', 3, 0],
    ['a new text', 100, 1],
  ])('has nothing, rather than something older, where %s could not be written', (_, entries, file) => {
    const path = newPath();
    write(path, 'older');
    const books = new BooksFile(path);
    for (let count = 0; count < entries; count++) books.add('entry', () => 'text');
    // Like a full disk, a directory takes no text.
    rmSync(`${path}.${file}`);
    mkdirSync(`${path}.${file}`);
    books.add('not written', () => 'nor this');
    expect(new BooksFile(path).stored).toEqual([]);
    rmdirSync(`${path}.${file}`);
    books.add('entry', () => 'all of it');
    expect(new BooksFile(path).stored).toEqual(['all of it']);
  });

  it('is no failure where nothing can be written', () => {
    expect(() => write(join(directory, 'none', 'at', 'all'), 'text')).not.toThrow();
  });
});

/** Writes a text as a process does that begins. */
function write(path: string, text: string): void {
  new BooksFile(path).add('', () => text);
}
