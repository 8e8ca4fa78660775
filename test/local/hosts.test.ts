import { connect, type Socket } from 'node:net';
import { basename, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { directoryPaths, type HostPaths, pipePaths } from '../../src/local/host-paths.ts';
import { readLines, writeLine } from '../../src/local/lines.ts';
import type { ShareStore } from '../../src/sharing/store/store.ts';
import { virtualClock } from '../../src/testing/index.ts';
import { asker, telling } from '../../src/testing/share/asking.ts';
import { testFolder } from '../support/folder.ts';
import { booksAt } from './support/books.ts';
import { listenAt } from './support/server.ts';

const { path: directory } = testFolder();

/** The paths of Windows, in a directory. */
function asPipes(name: string): HostPaths {
  const pipes = pipePaths('user', name);
  const at = (path: string): string => join(directory, path);
  return {
    ...pipes,
    pathOf: (generation) => at(pipes.pathOf(generation)),
    newPath: () => at(pipes.newPath()),
    booksPath: (share) => at(basename(pipes.booksPath(share))),
  };
}

describe('the books of a share whose host is slow, ends or begins', () => {
  /** A store whose host answers a look when it is told to. */
  async function slowStore(paths: HostPaths) {
    const asked: (() => void)[] = [];
    let connections = 0;
    await listenAt(paths.pathOf(1), (socket) => {
      connections++;
      readLines(socket, (message) => {
        asked.push(() => writeLine(socket, { id: (message as { id: number }).id, result: 'over' }));
      });
    });
    const clock = virtualClock();
    const store = booksAt(paths, Date.now, clock).storeOf('key');
    const lookFor = async (ms: number): Promise<ReturnType<ShareStore['look']>[]> => {
      const look = store.look('a');
      look.catch(() => {});
      await vi.waitFor(() => expect(asked).toHaveLength(1), { timeout: 60_000, interval: 1 });
      await clock.advance(ms);
      return [look];
    };
    const answerAfter = async (ms: number): Promise<void> => {
      const [look] = await lookFor(ms);
      asked.pop()?.();
      expect(await look).toBe('over');
    };
    return { lookFor, answerAfter, asked, connections: () => connections };
  }

  it('stay with a host that is only slow, up to three times as long as its slowest recent answer took', async () => {
    const paths = directoryPaths(directory, 'slow');
    const { lookFor, answerAfter, connections } = await slowStore(paths);
    // Machines are busy when processes start.
    await answerAfter(999);
    for (let count = 0; count < 60; count++) await answerAfter(0);
    await answerAfter(200);
    await answerAfter(599);
    expect(await paths.generations()).toEqual([1]);
    expect(connections()).toBe(1);
    const [look] = await lookFor(1_000);
    expect(await look).toBe('granted');
    expect(await paths.generations()).toEqual([2]);
  });

  it('pass to another process after 300 ms without an answer of a host that was quick', async () => {
    const paths = directoryPaths(directory, 'quick-host');
    const { lookFor, answerAfter } = await slowStore(paths);
    for (let count = 0; count < 60; count++) await answerAfter(0);
    const [look] = await lookFor(300);
    expect(await look).toBe('granted');
  });

  it('stay with a host whose pipe no other process can take over, once it answers again', async () => {
    const { lookFor, answerAfter, asked } = await slowStore(asPipes('silent-pipe'));
    const [look] = await lookFor(1_000);
    await expect(look).rejects.toMatchObject({ code: 'NOHOST' });
    asked.pop();
    await answerAfter(0);
  });

  it('are asked of three hosts at most that end while they are asked', async () => {
    let asked = 0;
    await listenAt(directoryPaths(directory, 'ending').pathOf(1), (socket) =>
      readLines(socket, () => {
        asked++;
        socket.destroy();
      }),
    );
    await expect(booksAt(directoryPaths(directory, 'ending')).storeOf('key').look('a')).rejects.toMatchObject({
      code: 'ECONNRESET',
    });
    expect(asked).toBe(3);
  });

  it('are found again after they could not be found', async () => {
    const paths = directoryPaths(directory, 'found');
    let fails = true;
    const check: HostPaths['check'] = async (generation) => {
      if (fails) throw new Error('not yet');
      await paths.check(generation);
    };
    const store = booksAt({ ...paths, check }).storeOf('key');
    await expect(store.look('a')).rejects.toThrow('not yet');
    fails = false;
    expect(await store.look('a')).toBe('granted');
  });

  it('are found again at once when the connection to them ends, until the process leaves', async () => {
    const paths = directoryPaths(directory, 'at-once');
    const connections: Socket[] = [];
    await listenAt(paths.pathOf(1), (socket) => {
      connections.push(socket);
      readLines(socket, (message) => writeLine(socket, { id: (message as { id: number }).id, result: 'over' }));
    });
    const books = booksAt(paths);
    await books.storeOf('key').look('a');
    connections[0]?.destroy();
    await vi.waitFor(() => expect(connections).toHaveLength(2), { timeout: 60_000 });
    const closed = new Promise((resolve) => connections[1]?.once('close', resolve));
    books.close();
    await closed;
    for (let count = 3; count <= 12; count++) {
      const peer = connect(paths.pathOf(1));
      await vi.waitFor(() => expect(connections).toHaveLength(count), { timeout: 60_000 });
      peer.destroy();
    }
  });

  it('are not kept by a process that leaves while it begins', async () => {
    const paths = directoryPaths(directory, 'leaving');
    const books = booksAt(paths);
    const look = books.storeOf('key').look('a');
    books.close();
    await look.catch(() => {});
    expect(await paths.generations()).toEqual([]);
  });

  it('are kept by one process of two, and pass to the other, where paths are those of pipes', async () => {
    const paths = asPipes('pipes');
    const [first, second] = [booksAt(paths), booksAt(paths)];
    const ask = asker(second.storeOf('key'));
    await Promise.all([asker(first.storeOf('key'))({ want: 4 }), ask({ member: 'b', want: 6 })]);
    first.close();
    expect(await ask(telling(6, { member: 'b' }))).toMatchObject({ used: [10] });
  });
});
