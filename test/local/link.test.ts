import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { findHost } from '../../src/local/find-host.ts';
import { directoryPaths } from '../../src/local/host-paths.ts';
import { Link } from '../../src/local/link.ts';
import type { Operation } from '../../src/sharing/store/operations.ts';
import { testFolder } from '../support/folder.ts';
import { listenAt } from './support/server.ts';

const { path: directory } = testFolder();

describe('a connection to the host', () => {
  it('is released once when the host ends, however many requests are under way', async () => {
    const path = join(directory, 'link');
    await listenAt(path, (socket) => socket.once('data', () => socket.destroy()));
    const socket = connect(path);
    await new Promise((resolve) => socket.once('connect', resolve));
    const link = new Link(socket, 1, systemClock, () => {});
    const requests = Array.from({ length: 3 }, () => link.request('key', { do: 'resumed' }, 60_000));
    for (const { status } of await Promise.allSettled(requests)) expect(status).toBe('rejected');
    // Each `unref` of a closed socket would wait for it to connect, and Node warns of the eleventh listener.
    expect(socket.listenerCount('connect')).toBe(0);
  });

  it('rejects what it sends to a host that has just ended', async () => {
    const path = join(directory, 'ended');
    const accepted: Socket[] = [];
    await listenAt(path, (socket) => accepted.push(socket));
    const socket = connect(path);
    await new Promise((resolve) => socket.once('connect', resolve));
    await vi.waitFor(() => expect(accepted).toHaveLength(1));
    const link = new Link(socket, 1, systemClock, () => {});
    accepted[0]?.destroy();
    await expect(link.request('key', { do: 'resumed' }, 60_000)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('rejects an operation that the host does not know, and goes on', async () => {
    const { host, socket } = await findHost(directoryPaths(directory, 'unknown'), 0, 0, Date.now);
    const link = new Link(socket, 1, systemClock, () => {});
    const unknown = { do: 'nothing' } as unknown as Operation;
    await expect(link.request('key', unknown, 60_000)).rejects.toThrow('unknown operation');
    expect(await link.request('key', { do: 'look', member: 'a' }, 60_000)).toBe('granted');
    link.close();
    host?.close();
  });
});
