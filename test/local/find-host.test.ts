import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Found, findHost } from '../../src/local/find-host.ts';
import { directoryPaths, type HostPaths } from '../../src/local/host-paths.ts';
import { testFolder } from '../support/folder.ts';
import { listenAt } from './support/server.ts';

const { path: directory } = testFolder();

async function found(...asked: Parameters<typeof findHost>): Promise<Found> {
  const one = await findHost(...asked);
  onTestFinished(() => {
    one.socket.destroy();
    one.host?.close();
  });
  return one;
}

describe('the books of a share on one machine, where they are looked for,', () => {
  it('are not kept on by a process that cannot connect to itself', async () => {
    const paths = directoryPaths(directory, 'foreign');
    const check = (): Promise<void> => Promise.reject(Object.assign(new Error('foreign'), { code: 'EPERM' }));
    await expect(findHost({ ...paths, check }, 0, 0, Date.now)).rejects.toThrow('foreign');
    expect(await paths.generations()).toEqual([]);
  });

  it.each(['before', 'after'])('are taken over from a host that ends %s its path is checked', async (when) => {
    const paths = directoryPaths(directory, `ends-${when}`);
    const stale = { ...paths, generations: async () => [1], ...(when === 'after' && { check: async () => {} }) };
    const { generation } = await found(stale, 0, 0, Date.now);
    expect(generation).toBe(2);
  });

  it('are kept by the latest of the hosts that have a path', async () => {
    const paths = { ...directoryPaths(directory, 'latest'), removeBelow: async () => {} };
    const generations: number[] = [];
    for (const silent of [0, 1, 0]) {
      const { generation } = await found(paths, 0, silent, Date.now);
      generations.push(generation);
    }
    expect(generations).toEqual([1, 2, 2]);
  });

  it('fail if each path is taken before it is published, and leave no socket behind', async () => {
    const own = join(directory, 'taken');
    const paths = { ...directoryPaths(own, 'taken'), publish: async () => undefined };
    await expect(findHost(paths, 0, 0, Date.now)).rejects.toMatchObject({ code: 'NOHOST' });
    expect(await readdir(own)).toEqual([]);
  });

  it('are given up by a host that is asked nothing, once its path is gone or another has a later one', async () => {
    const gone = directoryPaths(directory, 'gone');
    const past = directoryPaths(directory, 'past');
    const hosts = await Promise.all([gone, past].map((paths) => found(paths, 0, 0, Date.now)));
    const closed = hosts.map(({ socket }) => new Promise((resolve) => socket.once('close', resolve)));
    await rm(gone.pathOf(1));
    await writeFile(past.pathOf(3), '');
    await Promise.all(closed);
  });

  it('are not kept by a process that comes late, when a later host has taken over', async () => {
    const paths = directoryPaths(directory, 'late');
    const publish: HostPaths['publish'] = async (path, generation) => {
      const publication = await paths.publish(path, generation);
      await listenAt(paths.pathOf(3));
      return publication;
    };
    const { host, generation } = await found({ ...paths, publish }, 0, 0, Date.now);
    expect([host, generation]).toEqual([undefined, 3]);
  });
});
