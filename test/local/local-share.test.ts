import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMockService, seeded, virtualClock, type WindowKind } from 'stacks-quota/testing';
import { describe, expect, it, vi } from 'vitest';
import { type ClientEvent, createClient } from '../../src/index.ts';
import { fixedShare, localShare } from '../../src/local/index.ts';
import { cases, runs } from '../support/deep.ts';
import { testFolder } from '../support/folder.ts';

const KEY = 'a-key-that-nobody-may-see';
const { path: root, newPath: newDirectory } = testFolder();
const LOCAL = new URL('../../src/local/index.ts', import.meta.url).href;
const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0;

describe('localShare', () => {
  it('makes a directory that is open to its user alone, with a socket in it that is, too', async () => {
    const directory = newDirectory();
    const service = createMockService({ keys: [KEY] });
    const share = localShare({ name: 'modes', directory });
    const client = createClient({ baseUrl: service.origin, apiKey: KEY, fetch: service.fetch, share });
    await client.getInfo();
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, 'modes.v4.1.sock')).mode & 0o777).toBe(0o600);
    await client.close();
  });

  it('shares among the clients of one process, and again after all have been closed', async () => {
    const service = createMockService({ keys: [KEY], keyed: { second: 20, minute: 500 } });
    const share = localShare({ name: 'again', directory: newDirectory() });
    for (let round = 0; round < 2; round++) {
      const clients = [1, 2].map(() =>
        createClient({ baseUrl: service.origin, apiKey: KEY, fetch: service.fetch, share }),
      );
      await Promise.all(clients.flatMap((client) => Array.from({ length: 5 }, () => client.getInfo())));
      await Promise.all(clients.map((client) => client.close()));
    }
    expect(service.limited).toBe(0);
    expect(service.requests).toBe(20);
  });

  it('keeps its socket until the last of its clients has been closed, each of which may be closed again', async () => {
    const directory = newDirectory();
    const service = createMockService({ keys: [KEY] });
    const share = localShare({ name: 'last', directory });
    const sockets = (): string[] => readdirSync(directory).filter((file) => file.endsWith('.sock'));
    const clientOf = () => createClient({ baseUrl: service.origin, apiKey: KEY, fetch: service.fetch, share });
    const clients = [clientOf(), clientOf(), clientOf()];
    for (const client of clients) await client.getInfo();
    for (const client of clients) {
      expect(sockets()).toEqual(['last.v4.1.sock']);
      await client.close();
      await client.close();
    }
    expect(sockets()).toEqual([]);
    const next = clientOf();
    await next.getInfo();
    expect(sockets()).toHaveLength(1);
    await next.close();
    expect(sockets()).toEqual([]);
  });

  it.each([
    ['is missing', undefined, /requires an object/],
    ['has no name', {}, /name must be 1 to 32 lower-case letters/],
    ['has a name that is no file name', { name: '../x' }, /not "\.\.\/x"/],
    ['has an unknown one', { name: 'x', dir: '/tmp' }, /dir is not one of the options: name, directory/],
    ['has no directory', { name: 'x', directory: 7 }, /directory must be the absolute path of a directory, not 7/],
    [
      'has a relative directory',
      { name: 'x', directory: './run' },
      /must be the absolute path of a directory, not "\.\/run"/,
    ],
    ['has a directory in none', { name: 'x', directory: '/none/at/all' }, /cannot be created \(ENOENT\)/],
    [
      'has too long a directory',
      { name: 'x', directory: join(root, 'x'.repeat(90)) },
      /too long for the path of a socket/,
    ],
  ])('says what is wrong with options if one %s', (_, options, message) => {
    expect(() => localShare(options as never)).toThrow(message);
  });

  it('uses a directory whose sockets have the longest path that all systems accept', async () => {
    const directory = join(root, 'x'.repeat(99 - join(root, 'x.v4.1000000.sock').length));
    const service = createMockService({ keys: [KEY] });
    const share = localShare({ name: 'x', directory });
    const client = createClient({ baseUrl: service.origin, apiKey: KEY, fetch: service.fetch, share });
    await client.getInfo();
    expect(readdirSync(directory)).toContain('x.v4.1.sock');
    await client.close();
    expect(() => localShare({ name: 'xx', directory })).toThrow(/too long for the path of a socket/);
  });

  it('does not use a directory that others could read, a link to one, or a file', () => {
    const open = newDirectory();
    mkdirSync(open);
    for (const mode of [0o755, 0o701, 0o702, 0o704, 0o710, 0o720, 0o740]) {
      chmodSync(open, mode);
      expect(() => localShare({ name: 'x', directory: open })).toThrow(
        /is open to other users: name one with `directory` to which this user alone can write$/,
      );
    }
    const own = newDirectory();
    mkdirSync(own, { mode: 0o700 });
    const link = newDirectory();
    symlinkSync(own, link);
    expect(() => localShare({ name: 'x', directory: link })).toThrow(/is not a directory/);
    const file = newDirectory();
    writeFileSync(file, '');
    expect(() => localShare({ name: 'x', directory: file })).toThrow(/is not a directory/);
  });

  it.runIf(canMount)('does not use a directory on a read-only file system', () => {
    const program = `import { localShare } from ${JSON.stringify(LOCAL)};
      localShare({ name: 'x', directory: process.argv[1] + '/shares' });`;
    const script =
      'mount -t tmpfs tmpfs "$0" && mkdir -m 700 "$0/shares" && mount -o remount,ro "$0" && exec "$1" --input-type=module --eval "$2" "$0"';
    const { stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', script, root, process.execPath, program], {
      encoding: 'utf8',
    });
    expect(stderr).toMatch(/ConfigError: directory .*shares is read-only: name one with /);
  });

  it.skipIf(process.getuid?.() === 0)('does not use a directory that is read-only by its mode', () => {
    const directory = newDirectory();
    mkdirSync(directory, { mode: 0o500 });
    expect(() => localShare({ name: 'x', directory })).toThrow(/is read-only: /);
  });

  it.runIf(process.getuid?.() === 0)('does not use a directory of another user', async () => {
    const { chownSync } = await import('node:fs');
    const foreign = newDirectory();
    mkdirSync(foreign, { mode: 0o700 });
    chownSync(foreign, 12_345, 12_345);
    expect(() => localShare({ name: 'x', directory: foreign })).toThrow(/belongs to another user/);
  });

  it.runIf(process.getuid?.() === 0)('sends nothing to the socket of another user', async () => {
    const { chownSync } = await import('node:fs');
    const { createServer } = await import('node:net');
    const directory = newDirectory();
    const service = createMockService({ keys: [KEY] });
    const share = localShare({ name: 'trap', directory });
    const path = join(directory, 'trap.v4.1.sock');
    let connections = 0;
    const trap = createServer(() => connections++);
    await new Promise<void>((resolve) => trap.listen(path, resolve));
    chmodSync(path, 0o600);
    chownSync(path, 12_345, 12_345);
    const lost: string[] = [];
    const client = createClient({
      baseUrl: service.origin,
      apiKey: KEY,
      fetch: service.fetch,
      share,
      onEvent: (event) => {
        if (event.type === 'share-lost') lost.push(`${event.code} ${event.mode}`);
      },
    });
    // It is told of when three trips in a row have failed.
    await vi.waitFor(
      async () => {
        await client.getInfo();
        expect(lost).toEqual(['EPERM partial']);
      },
      { timeout: 60_000, interval: 100 },
    );
    expect(connections).toBe(0);
    await client.close();
    trap.close();
  });
});

describe('fixedShare', () => {
  const fourths = async (
    kind: WindowKind,
    limits: number,
    minute: number,
  ): Promise<{ readonly limited: number; readonly tookMs: number }> => {
    const clock = virtualClock({ wall: Date.UTC(2026, 2, 10, 14, 0, 7) });
    const options = {
      keyed: { minute },
      windows: { minute: kind },
      latencyMs: [5, 15],
      random: seeded(3),
    } as const;
    const service = createMockService({ clock, keys: [KEY], ...options });
    const clients = Array.from({ length: 4 }, () =>
      createClient({ baseUrl: service.origin, apiKey: KEY, fetch: service.fetch, clock, share: fixedShare(0.25) }),
    );
    const calls = clients.flatMap((client) =>
      Array.from({ length: (minute / 4) * limits }, () => client.getInfo({ maxWaitMs: Infinity })),
    );
    await clock.run(Promise.all(calls));
    return { limited: service.limited, tookMs: clock.now() };
  };

  it('lets four clients that know nothing of each other take no more than the limit together, and all of it', async () => {
    const { limited, tookMs } = await fourths('aligned', 1.9, 120);
    expect(limited).toBe(0);
    // Nearly two minutes' quota: the second half of it goes when the second minute begins.
    expect(tookMs).toBeLessThan(65_000);
  });

  it.each(cases(['sliding-log'], ['aligned', 'first-request', 'sliding-counter', 'leaky']))(
    'has no request of four clients refused in four limits of a minute of the kind %s',
    async (kind) => {
      const { limited } = await fourths(kind, 4, runs(60, 120));
      expect(limited).toBe(0);
    },
  );

  it('sends a request that costs more than the part once all of the part is free', async () => {
    const clock = virtualClock({ wall: Date.UTC(2026, 2, 10, 14, 0, 7) });
    const service = createMockService({ clock, keys: [KEY], keyed: { minute: 100 }, latencyMs: 10, cost: () => 30 });
    const share = fixedShare(0.25);
    const client = createClient({ baseUrl: service.origin, apiKey: KEY, fetch: service.fetch, clock, share });
    await clock.run(client.getInfo({ maxWaitMs: 0 }));
    // While an estimate of the minute is not ruled out, the part is free when the next calendar minute has ended.
    const from = clock.now();
    await expect(clock.run(client.getInfo({ maxWaitMs: 60_000 }))).rejects.toThrow(/maxWaitMs \(1 min\)/);
    expect(clock.now() - from).toBeLessThan(70_000);
    await clock.run(client.getInfo());
    expect(service.requests).toBe(2);
    await client.close();
  });

  it('lets each of four clients have a unit of a minute that has three, so that one is refused', async () => {
    const { limited } = await fourths('aligned', 4 / 3, 3);
    expect(limited).toBe(1);
  });

  it('leaves a client its part alone, however much the others leave', async () => {
    const clock = virtualClock({ wall: Date.UTC(2026, 2, 10, 14, 0, 7) });
    const service = createMockService({ clock, keys: [KEY], keyed: { minute: 100 }, latencyMs: 10 });
    const share = fixedShare(0.3);
    const client = createClient({ baseUrl: service.origin, apiKey: KEY, fetch: service.fetch, clock, share });
    void Promise.all(Array.from({ length: 100 }, () => client.getInfo({ maxWaitMs: Infinity }))).catch(() => {});
    await clock.advance(50_000);
    expect(service.requests).toBe(30);
  });

  it('goes on after a pause that the service has ordered, with no event of a lost store', async () => {
    const clock = virtualClock();
    const service = createMockService({ clock, keys: [KEY], keyed: { minute: 20 }, latencyMs: 10 });
    const types = new Set<string>();
    const onEvent = ({ type }: ClientEvent): unknown => types.add(type);
    const share = fixedShare(1);
    const client = createClient({ baseUrl: service.origin, apiKey: KEY, fetch: service.fetch, clock, share, onEvent });
    await clock.run(client.getInfo());
    service.spend(19, KEY);
    for (let count = 0; count < 5; count++) await clock.run(client.getInfo({ maxWaitMs: Infinity }));
    expect(service.limited).toBe(1);
    expect(types).not.toContain('share-lost');
  });

  it.each([0, -1, 1.1, Number.NaN, '0.5'])('refuses %s for a part, and says what one is', (part) => {
    expect(() => fixedShare(part as number)).toThrow(/part must be a number above 0 and at most 1, such as 0\.25/);
  });
});
