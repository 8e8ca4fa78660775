import { mkdtempSync } from 'node:fs';
import { readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { LocalBooks } from '../../src/local/local-books.ts';
import { directoryPlace, type Place } from '../../src/local/place.ts';
import type { Answer } from '../../src/sharing/store.ts';
import { storeContract } from '../sharing/store.contract.ts';
import { asker, asking, BEGIN, type StoreWorld, slotAsk, telling } from '../sharing/support/asking.ts';

const directory = mkdtempSync(join(tmpdir(), 'local-'));
const endings: (() => void)[] = [];
let shares = 0;

afterEach(() => {
  for (const end of endings.splice(0)) end();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** A process of a share, as far as its books go. */
function booksOf(
  name: string,
  now: () => number = Date.now,
  place: Place = directoryPlace(directory, name),
): LocalBooks {
  const books = new LocalBooks(place, systemClock, now);
  endings.push(() => books.close());
  return books;
}

function sockets(name: string): Promise<string[]> {
  return readdir(directory).then((files) => files.filter((file) => file.startsWith(`${name}.`)));
}

async function makeWorld(): Promise<StoreWorld> {
  let time = BEGIN;
  const now = (): number => time;
  const name = `contract-${shares++}`;
  // The process that keeps the books, and another one, whose store is tried.
  await booksOf(name, now).storeOf('key').resumed();
  const pass = async (ms: number): Promise<void> => {
    time += ms;
  };
  return { store: booksOf(name, now).storeOf('key'), now, pass };
}

storeContract('the store of another process', makeWorld);

describe('the books of a share on one machine', () => {
  it('are kept by the process that comes first, one for each API key', async () => {
    const [first, second] = [booksOf('first'), booksOf('first')];
    expect(await asker(first.storeOf('key'))({ member: 'a', want: 15 })).toMatchObject({ granted: [15] });
    expect(await asker(second.storeOf('key'))({ member: 'b', want: 15 })).toMatchObject({ granted: [5] });
    expect(await asker(second.storeOf('other key'))({ member: 'b', want: 15 })).toMatchObject({ granted: [15] });
    expect(await sockets('first')).toHaveLength(1);
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
      .take(asking({ member: 'c', sequence: 2, version: 1, want: 20, slots: [slotAsk({ total: 3 })] }))) as Answer;
    expect(after).toMatchObject({ granted: [7], used: [20] });
    expect(after.urgent.forMs).toBeGreaterThan(0);
    // What the second process states is no more than what is remembered of it.
    expect(await second.storeOf('key').take(telling(6, { member: 'b', sequence: 2 }))).toMatchObject({ used: [20] });
  });

  it('pass to another process when the one that keeps them does not answer any more', async () => {
    // A process that is stopped: the system accepts connections for it, and nothing answers.
    const silent = createServer(() => {});
    const place = directoryPlace(directory, 'silent');
    await new Promise<void>((resolve) => silent.listen(place.pathOf(1), resolve));
    const { chmod } = await import('node:fs/promises');
    await chmod(place.pathOf(1), 0o600);
    endings.push(() => silent.close());
    expect(await asker(booksOf('silent').storeOf('key'))()).toMatchObject({ granted: [5] });
    expect(await place.generations()).toEqual([2]);
  });

  it('are given up by a process that was stopped for so long that another keeps them', async () => {
    const [stopped, other] = [booksOf('stopped'), booksOf('stopped')];
    await asker(stopped.storeOf('key'))({ member: 'a' });
    // Another process takes over, as if the first one had not answered it.
    const { findHost } = await import('../../src/local/hosts.ts');
    const { host, socket } = await findHost(directoryPlace(directory, 'stopped'), 1, 1, Date.now);
    endings.push(
      () => host?.close(),
      () => socket.destroy(),
    );
    await asker(other.storeOf('key'))({ member: 'b', want: 9 });
    const ask = asker(stopped.storeOf('key'));
    await vi.waitFor(async () => expect(await ask(telling(0, { member: 'x' }))).toMatchObject({ used: [9] }));
  });

  it('leave nothing behind, and begin anew after the socket of a killed process', async () => {
    const place = directoryPlace(directory, 'stale');
    const dead = createServer(() => {});
    await new Promise<void>((resolve) => dead.listen(place.pathOf(7), resolve));
    // The file stays, as after `kill -9`.
    const { rename } = await import('node:fs/promises');
    await rename(place.pathOf(7), `${place.pathOf(7)}.kept`);
    await new Promise((resolve) => dead.close(resolve));
    await rename(`${place.pathOf(7)}.kept`, place.pathOf(7));
    const { chmod } = await import('node:fs/promises');
    await chmod(place.pathOf(7), 0o600);
    const books = booksOf('stale');
    expect(await asker(books.storeOf('key'))()).toMatchObject({ granted: [5] });
    expect(await place.generations()).toEqual([8]);
    books.close();
    await vi.waitFor(async () => expect(await sockets('stale')).toEqual([]));
  });

  it('pass with all that was granted even if a process that knows nothing is quicker than those that know', async () => {
    const place = directoryPlace(directory, 'quick');
    const slow = async (): Promise<readonly number[]> => {
      await sleep(30);
      return place.generations();
    };
    const [first, second, newcomer] = [
      booksOf('quick'),
      booksOf('quick', Date.now, { ...place, generations: slow }),
      booksOf('quick'),
    ];
    await asker(first.storeOf('key'))({ member: 'a', want: 10 });
    await asker(second.storeOf('key'))({ member: 'b', want: 4 });
    first.close();
    const answer = await asker(newcomer.storeOf('key'))({ member: 'c', version: 1, want: 20 });
    expect(answer).toMatchObject({ granted: [6], used: [20] });
  });

  it('pass with a pause that the service has ordered, whether a process has told it or heard of it', async () => {
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

  it('pass with what is known of more API keys than one message holds', async () => {
    const [first, second] = [booksOf('keys'), booksOf('keys')];
    const keys = Array.from({ length: 600 }, (_, index) => `${index} `.padEnd(2_000, 'x'));
    await first.storeOf('key').resumed();
    for (const key of keys) await asker(second.storeOf(key))({ want: 7 });
    first.close();
    const ask = asker(second.storeOf(keys[599] ?? ''));
    expect(await ask({ member: 'c', version: 1, want: 2 })).toMatchObject({ used: [9] });
  });

  it('are given up by a process whose socket has been removed, which leaves the next socket there alone', async () => {
    const place = directoryPlace(directory, 'ghost');
    const [ghost, next] = [booksOf('ghost'), booksOf('ghost')];
    await asker(ghost.storeOf('key'))({ member: 'a' });
    await rm(place.pathOf(1));
    await asker(next.storeOf('key'))({ member: 'b', want: 9 });
    expect(await place.generations()).toEqual([1]);
    const ask = asker(ghost.storeOf('key'));
    await vi.waitFor(async () => expect(await ask(telling(0, { member: 'x' }))).toMatchObject({ used: [9] }));
    ghost.close();
    expect(await place.generations()).toEqual([1]);
  });

  it('find their directory again after it has been removed', async () => {
    const own = join(directory, 'removed');
    const books = booksOf('own', Date.now, directoryPlace(own, 'own'));
    await asker(books.storeOf('key'))();
    await rm(own, { recursive: true });
    const other = booksOf('own', Date.now, directoryPlace(own, 'own'));
    await rm(own, { recursive: true });
    expect(await asker(other.storeOf('key'))({ member: 'b', want: 3 })).toMatchObject({ granted: [3] });
    const ask = asker(books.storeOf('key'));
    await vi.waitFor(async () => expect(await ask(telling(0, { member: 'x' }))).toMatchObject({ used: [3] }));
  });

  it('leave a path for the next process if others are connected', async () => {
    const place = directoryPlace(directory, 'path');
    const books = booksOf('path');
    await asker(books.storeOf('key'))();
    const peer = connect(place.pathOf(1));
    await new Promise((resolve) => peer.once('connect', resolve));
    await asker(books.storeOf('key'))({ member: 'b' });
    books.close();
    expect(await place.generations()).toEqual([1]);
    peer.destroy();
  });

  it.each(['GET / HTTP/1.1', 'null', '1', '"remember"'])(
    'close a connection that sends %s, and serve the others',
    async (line) => {
      const name = `nonsense-${shares++}`;
      const books = booksOf(name);
      await asker(books.storeOf('key'))();
      const socket = connect(directoryPlace(directory, name).pathOf(1));
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(`${line}\r\n\r\n`);
      await closed;
      expect(await asker(books.storeOf('key'))({ member: 'b' })).toMatchObject({ granted: [5] });
    },
  );
});

describe('the sockets of a share', () => {
  async function listenAt(path: string): Promise<void> {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(path, resolve));
    endings.push(() => server.close());
  }

  it('can be found when they are published, by one process for each generation', async () => {
    const place = directoryPlace(directory, 'publish');
    const [one, two] = [place.newPath(), place.newPath()];
    await Promise.all([listenAt(one), listenAt(two)]);
    expect(await place.generations()).toEqual([]);
    const publication = await place.publish(one, 1);
    expect(await place.publish(two, 1)).toBeUndefined();
    expect(await place.generations()).toEqual([1]);
    await place.check(1);
    expect(publication?.isOurs()).toBe(true);
    publication?.remove();
    expect(publication?.isOurs()).toBe(false);
    expect(await place.generations()).toEqual([]);
  });

  it('that were never published are removed after a minute', async () => {
    const place = directoryPlace(directory, 'abandoned');
    const [old, young] = [place.newPath(), place.newPath()];
    for (const path of [old, young]) await writeFile(path, '');
    await utimes(old, 1, 1);
    await place.removeBelow(1);
    expect((await sockets('abandoned')).map((file) => join(directory, file))).toEqual([young]);
  });
});
