import { chmod, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findHost } from '../../src/local/find-host.ts';
import { directoryPaths, type HostPaths } from '../../src/local/host-paths.ts';
import type { LocalBooks } from '../../src/local/local-books.ts';
import type { Answer, ShareStore } from '../../src/sharing/store/store.ts';
import { asker, asking, slotAsk, telling } from '../../src/testing/share/asking.ts';
import { LONG_CASES, SHORT_CASES, storeContract } from '../sharing/store.contract.ts';
import { cases } from '../support/deep.ts';
import { testFolder } from '../support/folder.ts';
import { booksAt } from './support/books.ts';
import { listenAt } from './support/server.ts';

const { path: directory } = testFolder();
let shares = 0;

function booksOf(name: string, now?: () => number, paths: HostPaths = directoryPaths(directory, name)): LocalBooks {
  return booksAt(paths, now);
}

async function storeOfAnother(now: () => number): Promise<ShareStore> {
  const name = `contract-${shares++}`;
  // The process that keeps the books, and another one, whose store is tried.
  await booksOf(name, now).storeOf('key').resumed();
  return booksOf(name, now).storeOf('key');
}

// It is the store in memory, which is tried with the long ones, too, each time.
storeContract('the store of another process', storeOfAnother, cases(SHORT_CASES, LONG_CASES));

describe('the books of a share on one machine', () => {
  it('are near, so processes ask ahead of their calls', () => {
    expect(booksOf('near').storeOf('key').isNear).toBe(true);
  });

  it('are kept by the process that comes first, one for each API key', async () => {
    const [first, second] = [booksOf('first'), booksOf('first')];
    expect(await asker(first.storeOf('key'))({ member: 'a', want: 15 })).toMatchObject({ granted: [15] });
    expect(await asker(second.storeOf('key'))({ member: 'b', want: 15 })).toMatchObject({ granted: [5] });
    expect(await asker(second.storeOf('other key'))({ member: 'b', want: 15 })).toMatchObject({ granted: [15] });
    expect(await directoryPaths(directory, 'first').generations()).toEqual([1]);
  });

  it('are kept by one process of eight that come at the same time', async () => {
    const all = Array.from({ length: 8 }, () => booksOf('race'));
    const answers = await Promise.all(all.map((books, index) => asker(books.storeOf('key'))({ member: `${index}` })));
    expect(answers.reduce((sum, { granted }) => sum + (granted[0] ?? 0), 0)).toBe(20);
  });

  it('pass to another process with all that was granted, when the one that keeps them closes', async () => {
    const [first, second, third] = [booksOf('close'), booksOf('close'), booksOf('close')];
    await asker(first.storeOf('key'))({ member: 'a', want: 4 });
    await asker(second.storeOf('key'))({ member: 'b', want: 6 });
    const ask = asker(third.storeOf('key'));
    await ask({ member: 'c', want: 3 });
    first.close();
    const after = (await third
      .storeOf('key')
      .take(asking({ member: 'c', sequence: 2, want: 20, slots: [slotAsk({ total: 3 })] }))) as Answer;
    expect(after).toMatchObject({ granted: [7], used: [20] });
    expect(after.urgent.forMs).toBeGreaterThan(0);
    // The account of the second process has passed as well.
    expect(await second.storeOf('key').take(telling(6, { member: 'b', sequence: 2 }))).toMatchObject({ used: [20] });
  });

  it('pass to another process when the one that keeps them does not answer any more', async () => {
    // A process that is stopped: the system accepts connections for it, and nothing answers.
    const paths = directoryPaths(directory, 'silent');
    await listenAt(paths.pathOf(1));
    expect(await asker(booksOf('silent').storeOf('key'))()).toMatchObject({ granted: [5] });
    expect(await paths.generations()).toEqual([2]);
  });

  it.each([
    ['are given up by a process that was stopped for so long that another keeps them', {}],
    // Then the paths of both lead to their sockets, and other processes may have found the new one.
    ['are given up as soon as another host has its path', { removeBelow: async () => {} }],
  ])('%s', async (_, unlike) => {
    const name = `stopped-${shares++}`;
    const [stopped, other] = [booksOf(name), booksOf(name)];
    await asker(stopped.storeOf('key'))({ member: 'a' });
    // Another process takes over, as if the first one had not answered it.
    const { host, socket } = await findHost({ ...directoryPaths(directory, name), ...unlike }, 1, 1, Date.now);
    onTestFinished(() => {
      host?.close();
      socket.destroy();
    });
    await asker(other.storeOf('key'))({ member: 'b', want: 9 });
    expect(await asker(stopped.storeOf('key'))(telling(0, { member: 'x' }))).toMatchObject({ used: [14] });
  });

  it('leave no socket behind, and begin anew after the socket of a killed process', async () => {
    const paths = directoryPaths(directory, 'stale');
    const dead = createServer(() => {});
    await new Promise<void>((resolve) => dead.listen(paths.pathOf(7), resolve));
    // The file stays, as after `kill -9`.
    const { rename } = await import('node:fs/promises');
    await rename(paths.pathOf(7), `${paths.pathOf(7)}.kept`);
    await new Promise((resolve) => dead.close(resolve));
    await rename(`${paths.pathOf(7)}.kept`, paths.pathOf(7));
    await chmod(paths.pathOf(7), 0o600);
    const books = booksOf('stale');
    const listeners = process.listenerCount('exit');
    expect(await asker(books.storeOf('key'))()).toMatchObject({ granted: [5] });
    expect(await paths.generations()).toEqual([8]);
    expect(process.listenerCount('exit')).toBe(listeners + 1);
    books.close();
    expect(process.listenerCount('exit')).toBe(listeners);
    await vi.waitFor(async () => expect(await paths.generations()).toEqual([]));
  });

  it('pass with all that was granted to a process that has not been connected', async () => {
    const [first, second, newcomer] = [booksOf('quick'), booksOf('quick'), booksOf('quick')];
    await asker(first.storeOf('key'))({ member: 'a', want: 10 });
    await asker(second.storeOf('key'))({ member: 'b', want: 4 });
    first.close();
    const answer = await asker(newcomer.storeOf('key'))({ member: 'c', want: 20 });
    expect(answer).toMatchObject({ granted: [6], used: [20] });
  });

  it('pass with the facts and the looks of all processes', async () => {
    const [first, second] = [booksOf('facts'), booksOf('facts')];
    await first.storeOf('key').share(0, new Map([['l:minute', '500']]));
    await first.storeOf('key').look('a');
    await second.storeOf('key').resumed();
    first.close();
    expect((await second.storeOf('key').share(-1, new Map())).facts).toEqual(new Map([['l:minute', '500']]));
    expect(await second.storeOf('key').look('b')).toBeGreaterThan(0);
  });

  it('are found by a process that comes after all others have ended, as a cron job does', async () => {
    const [first, later] = [booksOf('cron'), booksOf('cron')];
    await asker(first.storeOf('key'))({ want: 7 });
    first.close();
    expect(await asker(later.storeOf('key'))({ member: 'b', want: 20 })).toMatchObject({ granted: [13] });
  });

  it('book an ask once whose answer was lost with the host', async () => {
    const paths = directoryPaths(directory, 'lost');
    const [first, second] = [booksOf('lost'), booksOf('lost')];
    await first.storeOf('key').take(asking({ want: 6 }));
    first.close();
    const dying = await listenAt(paths.pathOf(1), (socket) =>
      socket.on('data', () => {
        dying.close();
        socket.destroy();
      }),
    );
    expect(await second.storeOf('key').take(asking({ want: 6 }))).toMatchObject({
      sequence: 1,
      granted: [6],
      used: [6],
    });
    expect(await paths.generations()).toEqual([2]);
  });

  it('pass with a pause that the service has ordered', async () => {
    const [first, second, third] = [booksOf('pause'), booksOf('pause'), booksOf('pause')];
    await first.storeOf('key').resumed();
    const ask = asker(second.storeOf('key'));
    await ask({ member: 'b' });
    await second.storeOf('key').pause(20_000);
    first.close();
    expect((await asker(third.storeOf('key'))({ member: 'c' })).pauseMs).toBeGreaterThan(15_000);
    second.close();
    expect((await asker(booksOf('pause').storeOf('key'))({ member: 'd' })).pauseMs).toBeGreaterThan(15_000);
  });

  it('pass with what is known of more API keys than are kept in memory', async () => {
    const [first, second] = [booksOf('keys'), booksOf('keys')];
    const keys = Array.from({ length: 150 }, (_, index) => `key ${index}`);
    await first.storeOf('key').resumed();
    for (const key of keys) await asker(second.storeOf(key))({ want: 7 });
    first.close();
    const ask = asker(second.storeOf(keys[0] ?? ''));
    expect(await ask({ member: 'c', want: 2 })).toMatchObject({ used: [9] });
  });

  it('are given up by a process whose socket has been removed, which leaves the next socket there alone', async () => {
    const paths = directoryPaths(directory, 'ghost');
    const [ghost, next] = [booksOf('ghost'), booksOf('ghost')];
    await asker(ghost.storeOf('key'))({ member: 'a' });
    await rm(paths.pathOf(1));
    await asker(next.storeOf('key'))({ member: 'b', want: 9 });
    expect(await paths.generations()).toEqual([1]);
    const ask = asker(ghost.storeOf('key'));
    expect(await ask(telling(0, { member: 'x' }))).toMatchObject({ used: [14] });
    ghost.close();
    expect(await paths.generations()).toEqual([1]);
  });

  it('find their directory again after it has been removed', async () => {
    const own = join(directory, 'removed');
    const books = booksOf('own', Date.now, directoryPaths(own, 'own'));
    await asker(books.storeOf('key'))();
    await rm(own, { recursive: true });
    const other = booksOf('own', Date.now, directoryPaths(own, 'own'));
    await rm(own, { recursive: true });
    expect(await asker(other.storeOf('key'))({ member: 'b', want: 3 })).toMatchObject({ granted: [3] });
    const ask = asker(books.storeOf('key'));
    await vi.waitFor(async () => expect(await ask(telling(0, { member: 'x' }))).toMatchObject({ used: [3] }));
  });

  it('leave a path for the next process if others are connected', async () => {
    const paths = directoryPaths(directory, 'path');
    const books = booksOf('path');
    await asker(books.storeOf('key'))();
    const peer = connect(paths.pathOf(1));
    await new Promise((resolve) => peer.once('connect', resolve));
    await asker(books.storeOf('key'))({ member: 'b' });
    books.close();
    expect(await paths.generations()).toEqual([1]);
    peer.destroy();
  });

  it('leave no path behind if the others have left', async () => {
    const paths = directoryPaths(directory, 'left');
    const books = booksOf('left');
    const ask = asker(books.storeOf('key'));
    await ask();
    const peer = connect(paths.pathOf(1));
    await new Promise((resolve) => peer.once('connect', resolve));
    await ask();
    const closed = new Promise((resolve) => peer.once('close', resolve));
    peer.destroy();
    await closed;
    for (const _ of [1, 2]) await ask();
    books.close();
    expect(await paths.generations()).toEqual([]);
  });

  it.each([
    ['no JSON', 'GET / HTTP/1.1\r\n\r\n'],
    ...['null', '1', '"remember"'].map((message) => [message, `${message}\n`] as const),
    ['a million characters without an end', `"${'x'.repeat(1e6)}`],
  ] as const)('close a connection that sends %s, and serve the others', async (_, text) => {
    const name = `nonsense-${shares++}`;
    const books = booksOf(name);
    await asker(books.storeOf('key'))();
    const socket = connect(directoryPaths(directory, name).pathOf(1));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(text);
    await closed;
    expect(await asker(books.storeOf('key'))({ member: 'b' })).toMatchObject({ granted: [5] });
  });
});
