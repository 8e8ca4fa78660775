import { chmod, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoryPaths } from '../../src/local/host-paths.ts';
import { testFolder } from '../support/folder.ts';
import { listenAt } from './support/server.ts';

const { path: directory } = testFolder();

describe('the sockets of a share', () => {
  it('can be found when they are published, by one process for each generation', async () => {
    const paths = directoryPaths(directory, 'publish');
    const [one, two] = [paths.newPath(), paths.newPath()];
    await Promise.all([listenAt(one), listenAt(two)]);
    expect(await paths.generations()).toEqual([]);
    const publication = await paths.publish(one, 1);
    expect(await paths.publish(two, 1)).toBeUndefined();
    expect(await paths.generations()).toEqual([1]);
    await expect(paths.publish(paths.newPath(), 2)).rejects.toMatchObject({ code: 'ENOENT' });
    await paths.check(1);
    expect(publication?.isOurs()).toBe(true);
    publication?.remove();
    expect(publication?.isOurs()).toBe(false);
    expect(await paths.generations()).toEqual([]);
  });

  it('are found by the order of their numbers', async () => {
    const paths = directoryPaths(directory, 'numbers');
    for (const generation of [9, 10, 2]) await writeFile(paths.pathOf(generation), '');
    expect(await paths.generations()).toEqual([2, 9, 10]);
  });

  it('are not trusted where their directory has been opened to others', async () => {
    const own = join(directory, 'opened');
    const paths = directoryPaths(own, 'opened');
    await listenAt(paths.pathOf(1));
    await paths.check(1);
    await chmod(own, 0o711);
    await expect(paths.check(1)).rejects.toMatchObject({ code: 'EPERM' });
  });

  it('are removed if they were not published for a minute, and books if they were not changed for 40 days', async () => {
    const own = join(directory, 'abandoned');
    const [paths, other] = [directoryPaths(own, 'abandoned'), directoryPaths(own, 'other')];
    const write = async (path: string, ageMs: number): Promise<string> => {
      await writeFile(path, '');
      const changedAt = new Date(Date.now() - ageMs);
      await utimes(path, changedAt, changedAt);
      return path;
    };
    const books = (key: string): string => `${paths.booksPath(key)}.0`;
    await write(paths.newPath(), 70_000);
    await write(books('old'), 41 * 86_400_000);
    await write(paths.pathOf(1), 0);
    const kept = await Promise.all([
      write(paths.newPath(), 50_000),
      write(books('young'), 39 * 86_400_000),
      write(paths.pathOf(2), 70 * 86_400_000),
      write(other.newPath(), 70_000),
    ]);
    await paths.removeBelow(2);
    expect((await readdir(own)).map((file) => join(own, file)).sort()).toEqual(kept.sort());
  });
});
