import { accessSync, constants, existsSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { chmod, link, lstat, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../errors.ts';
import { fingerprintOf } from '../sharing/fingerprint.ts';

/** The version of the messages. Versions do not share. */
const FORMAT = 4;

/** Permissions that must not be granted: those of the group and of others. */
const FOREIGN_MODE = 0o077;

/** The longest path of a socket that all systems accept, in bytes. */
const LONGEST_PATH = 100;

/** The end of a path that is not published, which is as long as that of a generation. */
const NEW = '.new';

/** A socket that was never published is left by a process that was killed if it is older than this, in milliseconds. */
const ABANDONED_MS = 60_000;

/** The end of a file of books, less its number. The longest window is a month, so older books say nothing. In milliseconds. */
const BOOKS = '.books';
const BOOKS_LAST_MS = 40 * 86_400_000;

/** The path of a generation, as long as it leads to the socket of this process. */
export interface Publication {
  /** Whether it still does: another process may have removed it, and a third one may have published a socket there. */
  isOurs(): boolean;
  /** Removes the path if it is ours. */
  remove(): void;
}

/**
 * The paths at which the processes of one share find its host. Each host that takes over has a path of its own, numbered one
 * higher than the last (a generation). A host listens on an unused path, and then publishes its socket as that of a generation: that
 * is atomic, so one process wins, and a socket that exists accepts connections.
 */
export interface HostPaths {
  /** The generations that have a socket, live or left behind, lowest first. */
  generations(): Promise<readonly number[]>;
  pathOf(generation: number): string;
  /** A path to listen on, which no other process uses. */
  newPath(): string;
  /** Publishes the socket that listens on a new path. Resolves with `undefined` if the generation has a socket. */
  publish(path: string, generation: number): Promise<Publication | undefined>;
  /** Removes the sockets of all generations below this one, those that were never published, and old books. */
  removeBelow(generation: number): Promise<void>;
  /** Whether another process has taken over from the host of a generation. */
  isSucceeded(generation: number): boolean;
  /** The path of the files that keep the state of a store, less their numbers. */
  booksPath(share: string): string;
  /** Rejects, with the code `EPERM`, if the socket or its directory belongs to another user or is open to others. */
  check(generation: number): Promise<void>;
}

/** @throws ConfigError if the directory cannot be created, belongs to another user, others may write to it, or this one may not. */
function makePrivate(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST')
      throw new ConfigError('directory', `${directory} cannot be created (${codeOf(error)})`);
  }
  const found = lstatSync(directory);
  // In one that is read-only no process could become the host, and each would go on slowly without grants.
  const fault = faultOf(found, 'directory') ?? (isWritable(directory) ? undefined : 'is read-only');
  if (fault)
    throw new ConfigError(
      'directory',
      `${directory} ${fault}: name one with \`directory\` to which this user alone can write`,
    );
}

/**
 * The paths in a private directory of this user, which is created if needed.
 *
 * @throws ConfigError if the directory cannot be used.
 */
export function directoryPaths(directory: string, name: string): HostPaths {
  makePrivate(directory);
  const prefix = `${name}.v${FORMAT}.`;
  const pathOf = (generation: number): string => join(directory, `${prefix}${generation}.sock`);
  if (Buffer.byteLength(pathOf(1e6)) > LONGEST_PATH)
    throw new ConfigError('directory', `is too long for the path of a socket (${LONGEST_PATH} bytes with the name)`);
  const mine = new RegExp(`^${name}\\.v${FORMAT}\\.(\\d{1,9})\\.sock$`);
  const files = async (): Promise<string[]> => {
    try {
      return await readdir(directory);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      // Removed since, as by a program that cleans /tmp.
      mkdirSync(directory, { mode: 0o700 });
      return [];
    }
  };
  const generations = async (): Promise<number[]> => {
    const numbers = (await files()).flatMap((file) => mine.exec(file)?.[1] ?? []).map(Number);
    return numbers.sort((a, b) => a - b);
  };
  return {
    generations,
    pathOf,
    newPath: () => join(directory, `${prefix}${crypto.randomUUID().slice(0, 8)}${NEW}`),
    async publish(path, generation) {
      try {
        await chmod(path, 0o600);
        await link(path, pathOf(generation));
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return undefined;
        throw error;
      }
      await rm(path, { force: true });
      return publicationAt(pathOf(generation));
    },
    async removeBelow(generation) {
      for (const old of await generations()) if (old < generation) await rm(pathOf(old), { force: true });
      for (const file of (await files()).filter((one) => one.startsWith(prefix)))
        await removeOld(join(directory, file), lifetimeOf(file));
    },
    isSucceeded: (generation) => existsSync(pathOf(generation + 1)),
    booksPath: (share) => join(directory, `${prefix}${fingerprintOf('books', share)}${BOOKS}`),
    async check(generation) {
      const fault = faultOf(await lstat(directory), 'directory') ?? faultOf(await lstat(pathOf(generation)), 'socket');
      if (fault) throw Object.assign(new Error(`${pathOf(generation)} ${fault}`), { code: 'EPERM' });
    },
  };
}

/** How long after its last change a file is kept, in milliseconds. */
function lifetimeOf(file: string): number {
  if (file.endsWith(NEW)) return ABANDONED_MS;
  return file.includes(BOOKS) ? BOOKS_LAST_MS : Infinity;
}

async function removeOld(path: string, lastsMs: number): Promise<void> {
  const { mtimeMs } = await lstat(path).catch(() => ({ mtimeMs: Infinity }));
  if (mtimeMs < Date.now() - lastsMs) await rm(path, { force: true });
}

/** The publication of the socket that is at this path now. */
function publicationAt(path: string): Publication {
  const present = (): string | undefined => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found && `${found.dev} ${found.ino}`;
  };
  const ours = present();
  const isOurs = (): boolean => ours !== undefined && present() === ours;
  return {
    isOurs,
    remove() {
      if (isOurs()) rmSync(path, { force: true });
    },
  };
}

/**
 * A named pipe of Windows. Windows removes it with its process, so there is one generation. The books are in the user's directory for
 * temporary files, which is closed to others.
 */
export function pipePaths(user: string, name: string): HostPaths {
  const path = `\\\\.\\pipe\\stacks-quota-${user}-${name}-v${FORMAT}`;
  const prefix = `stacks-quota.${name}.v${FORMAT}.`;
  return {
    // Which process listens shows only by trying: a pipe that nothing listens on does not exist.
    generations: async () => [1],
    pathOf: () => path,
    newPath: () => path,
    publish: async () => ({ isOurs: () => true, remove() {} }),
    removeBelow: async () => {},
    isSucceeded: () => false,
    booksPath: (share) => join(tmpdir(), `${prefix}${fingerprintOf('books', share)}${BOOKS}`),
    check: async () => {},
  };
}

function faultOf(found: ReturnType<typeof lstatSync>, kind: 'directory' | 'socket'): string | undefined {
  if (!found) return 'is missing';
  if (!(kind === 'directory' ? found.isDirectory() : found.isSocket())) return `is not a ${kind}`;
  if (Number(found.uid) !== process.getuid?.()) return 'belongs to another user';
  return (Number(found.mode) & FOREIGN_MODE) === 0 ? undefined : 'is open to other users';
}

/** By its mode, and by the file system that it is on. */
function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}
