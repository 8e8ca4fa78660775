import { createReadStream } from 'node:fs';
import { type FileHandle, open, truncate, unlink } from 'node:fs/promises';
import type { Surface } from '../environment.ts';
import { GaveUpError, UsageError } from '../exit.ts';

/** Writes lines, each whole and one after the other. */
export interface Sink {
  /** Resolves when the line was written. */
  write(line: string): Promise<void>;
  close(): Promise<void>;
}

/** How to open a file: it must be new, it is replaced, or lines are added to it. */
export type FileMode = 'new' | 'replace' | 'append';

/** Every line begins with this, which identifies a file written by this command. */
const BEGINNING = '{"address":"';

/** An account as one line. Its address comes first, so that `--resume` finds it without parsing the whole line. */
export function lineOf(address: string, body: object): string {
  return `${JSON.stringify({ address, ...body })}\n`;
}

/** Writes lines to standard output. */
export function surfaceSink(surface: Surface): Sink {
  return { write: (line) => surface.write(line), close: async () => {} };
}

/**
 * Writes lines to a file.
 *
 * @throws UsageError if it cannot be opened in that mode.
 */
export async function fileSink(path: string, mode: FileMode): Promise<Sink> {
  const handle = await openAs(path, mode);
  let last: Promise<void> = Promise.resolve();
  const opened = await handle.stat();
  /** Of the whole lines. */
  let { size } = opened;
  const append = async (line: string): Promise<void> => {
    if (opened.isFile() && (await handle.stat()).size !== size)
      throw new GaveUpError(
        `--out ${path} is written by another program, too: continue with --resume when that has ended.`,
      );
    const bytes = Buffer.from(line);
    // In one piece where the system takes it, so that no line of another program comes between.
    for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
    size += bytes.length;
  };
  return {
    write(line) {
      // One after the other, because a line may be written in pieces. After a failure all further writes fail.
      last = last.then(() => append(line));
      return last;
    },
    async close() {
      // A full disk may have taken a part of a line. What another program has written is not cut off.
      await last.catch((error) => (error instanceof GaveUpError ? undefined : handle.truncate(size))).catch(() => {});
      // An empty file would block the next attempt.
      const isInTheWay = mode === 'new' && (await handle.stat()).size === 0;
      await handle.close();
      if (isInTheWay) await unlink(path).catch(() => {});
    },
  };
}

/**
 * Finds the accounts in a file, and truncates the partial line that a crash may have left.
 *
 * @returns their addresses; none if there is no file.
 * @throws UsageError if the file has other content; it is not changed then.
 */
export async function readFetched(path: string): Promise<ReadonlySet<string>> {
  const addresses = new Set<string>();
  let rest: Buffer = Buffer.alloc(0);
  let lines = 0;
  let whole = 0;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      const { length } = rest;
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(10, length); end >= 0; end = rest.indexOf(10)) {
        addresses.add(addressOf(rest.toString('utf8', 0, end), ++lines, path));
        whole += end + 1;
        rest = rest.subarray(end + 1);
      }
      if (!BEGINNING.startsWith(rest.toString('utf8', 0, BEGINNING.length))) throw foreign(lines + 1, path);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return addresses;
    throw error instanceof UsageError ? error : cannot(path, error);
  }
  if (rest.length > 0) await truncate(path, whole);
  return addresses;
}

function addressOf(line: string, number: number, path: string): string {
  const end = line.indexOf('"', BEGINNING.length);
  if (!line.startsWith(BEGINNING) || end < 0 || !line.endsWith('}')) throw foreign(number, path);
  return line.slice(BEGINNING.length, end);
}

async function openAs(path: string, mode: FileMode): Promise<FileHandle> {
  try {
    return await open(path, { new: 'ax', replace: 'w', append: 'a' }[mode]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannot(path, error);
    throw new UsageError(`--out ${path} already exists: continue it with --resume or replace it with --force.`);
  }
}

function cannot(path: string, error: unknown): UsageError {
  return new UsageError(`--out ${path} cannot be opened: ${(error as NodeJS.ErrnoException).code}.`);
}

function foreign(line: number, path: string): UsageError {
  return new UsageError(`--resume: line ${line} of ${path} was not written by this command; the file is unchanged.`);
}
