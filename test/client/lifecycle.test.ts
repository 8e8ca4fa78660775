import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { createClient } from '../../src/client/create-client.ts';
import { isClosed } from '../../src/errors.ts';
import type { ClientEvent } from '../../src/events.ts';
import { wholeShareLimit } from '../../src/quota/share-limit.ts';
import { createMockService, virtualClock } from '../../src/testing/index.ts';
import { builtEntry } from '../support/programs.ts';
import { type Wire, wire } from '../support/wire.ts';

describe('closing', () => {
  it('rejects the calls that wait and lets those under way finish', async () => {
    const { client, call, last, names, clock } = wire({ concurrency: 1 });
    const first = await call('under way');
    const others = [await call('at the gate'), await call('in line')];
    const closed = vi.fn();
    const closing = client.close().then(closed);
    await clock.advance(0);
    expect(others.map(({ now }) => isClosed(now()))).toEqual([true, true]);
    expect(first.now()).toBe('under way');
    expect(closed).not.toHaveBeenCalled();
    await last('under way').answer();
    await closing;
    expect(first.now()).toBe('answered');
    expect(names()).toEqual(['under way']);
    expect(clock.timers).toBe(0);
  });

  it('rejects calls that are made later', async () => {
    const { client, call, names } = wire();
    await client.close();
    expect(isClosed((await call('late')).now())).toBe(true);
    expect(names()).toEqual([]);
  });

  it('may be asked for any number of times', async () => {
    const leave = vi.fn(async () => {});
    const share = { join: () => ({ part: wholeShareLimit, leave }) };
    const { client } = wire({ share });
    await Promise.all([client.close(), client.close()]);
    await client.close();
    await client[Symbol.asyncDispose]();
    expect(leave).toHaveBeenCalledOnce();
  });

  it('gives the share back when the last request has come back', async () => {
    const said: string[] = [];
    const leave = async (): Promise<void> => void said.push('given back');
    const share = { join: () => ({ part: wholeShareLimit, leave }) };
    const { client, call, last, clock } = wire({ share });
    await call('first');
    const closing = client.close();
    await clock.advance(0);
    expect(said).toEqual([]);
    await last('first').answer();
    await closing;
    expect(said).toEqual(['given back']);
  });

  it('comes by itself at the end of an `await using`', async () => {
    let mine: Wire['client'] | undefined;
    {
      await using client = wire().client;
      mine = client;
    }
    await expect(mine.getInfo()).rejects.toSatisfy(isClosed);
  });

  it.each([
    [429, { 'retry-after': '60' }],
    [503, {}],
  ])('does not let a call go again after a %i', async (status, headers) => {
    const { client, call, last, names, clock } = wire({ random: () => 0.9 });
    const only = await call('only');
    const closing = client.close();
    await last('only').answer(status, headers);
    await closing;
    expect(isClosed(only.now())).toBe(true);
    expect(names()).toEqual(['only']);
    expect(clock.timers).toBe(0);
  });

  it('ends the pause of a call that was about to go again', async () => {
    const { client, call, last } = wire({ random: () => 0.9 });
    const only = await call('only');
    await last('only').answer(503);
    expect([only.now(), client.waiting]).toEqual(['under way', 1]);
    await client.close();
    expect(isClosed(only.now())).toBe(true);
  });
});

describe('a listener of events', () => {
  const types = ['called', 'waiting', 'sent', 'answered', 'limited', 'lost', 'retrying', 'done'] as const;

  /** Ten calls with which everything happens that can be heard of. */
  function eventful(hear: (event: ClientEvent, client: Client) => unknown) {
    const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 20) });
    const service = createMockService({ clock, latencyMs: 50 });
    service.faults.next(1, 'reset');
    service.faults.next(1, { status: 503, headers: { 'retry-after': '2' } });
    const { origin: baseUrl, fetch } = service;
    const client: Client = createClient({ baseUrl, fetch, clock, onEvent: (event) => hear(event, client) });
    return { clock, client, calls: Promise.all(Array.from({ length: 10 }, () => client.getInfo())) };
  }

  it.each(types)('may make calls on the spot, at "%s"', async (type) => {
    const more: Promise<unknown>[] = [];
    let left = 3;
    const { clock, client, calls } = eventful((event, itself) => {
      if (event.type === type && left-- > 0) more.push(itself.getInfo({ priority: left }));
    });
    await clock.run(calls);
    expect(more).not.toEqual([]);
    await clock.run(Promise.all(more));
    expect(client.quota()).toMatchObject({ inFlight: 0, waiting: 0 });
  });

  it.each(types)('may close the client on the spot, at "%s"', async (type) => {
    let closing: Promise<unknown> | undefined;
    const { clock, client, calls } = eventful((event, itself) => {
      if (event.type === type) closing ??= itself.close();
    });
    await clock.run(calls.catch((error) => expect(isClosed(error)).toBe(true)));
    await clock.run(closing ?? Promise.reject(new Error(`There was no ${type}.`)));
    expect(client.quota()).toMatchObject({ inFlight: 0, waiting: 0 });
    expect(clock.timers).toBe(0);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('of the listener');
      },
    ],
    ['rejects', () => Promise.reject(new Error('of the listener'))],
  ])('does no harm when it %s', async (_, fail) => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const heard = new Set<string>();
    const { clock, calls } = eventful(({ type }) => {
      heard.add(type);
      return fail();
    });
    await expect(clock.run(calls)).resolves.toHaveLength(10);
    await new Promise(setImmediate);
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    expect(heard).toEqual(new Set(types));
  });

  it('may send a more urgent call ahead of the one that waits', async () => {
    let urgent: Promise<unknown> | undefined;
    const { client, call, last, names } = wire({
      concurrency: 1,
      onEvent: ({ type }) => {
        if (type === 'waiting') urgent ??= client.getInfo({ priority: 1, headers: { 'x-call': 'urgent' } });
      },
    });
    await call('first');
    await call('second');
    for (const name of ['first', 'urgent', 'second']) await last(name).answer();
    expect(names()).toEqual(['first', 'urgent', 'second']);
    await urgent;
  });

  it.each(['waiting', 'sent'])('may abort the call on the spot, at "%s", and the next steps up', async (when) => {
    const controller = new AbortController();
    const { client, call, last, names, clock } = wire({
      concurrency: 1,
      onEvent: ({ type }) => {
        if (names().length === 1 && type === when) controller.abort('enough');
      },
    });
    await call('first');
    const second = await call('second', { signal: controller.signal });
    await call('third');
    await last('first').answer();
    expect(second.now()).toBe('enough');
    expect(names().filter((name) => name !== 'second')).toEqual(['first', 'third']);
    await last('third').answer();
    expect(client.quota()).toMatchObject({ inFlight: 0, waiting: 0 });
    expect(clock.timers).toBe(0);
  });
});

describe('a process', () => {
  const prelude = `
    import { createClient } from '${builtEntry('stacks-quota')}';
    const clientWith = (status, headers) =>
      createClient({
        baseUrl: 'http://localhost',
        random: () => 0.4,
        fetch: async () => {
          const answer = new Response('{}', { status, headers: { date: new Date().toUTCString(), ...headers } });
          status = 200;
          return answer;
        },
      });
    process.on('exit', () => console.log('exit'));
  `;

  /** Runs a program to its end: what it says, and its exit code. */
  async function run(program: string): Promise<{ said: string; code: number }> {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', prelude + program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // One that something keeps alive would outlive the run of all tests.
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    const [code] = await once(child, 'close');
    return { said: said.trim().replaceAll('\n', ', '), code };
  }

  it('with an idle client ends by itself', async () => {
    const program = `
      const client = clientWith(200, {});
      await client.getInfo();
      console.log('answered');
    `;
    expect(await run(program)).toEqual({ said: 'answered, exit', code: 0 });
  });

  it('with a call that waits lives on until it is answered', async () => {
    const program = `
      const client = clientWith(503, {});
      await client.getInfo();
      console.log('answered');
    `;
    expect(await run(program)).toEqual({ said: 'answered, exit', code: 0 });
  });

  it('ends when its client has closed, though a call would have waited for an hour', async () => {
    const program = `
      const client = clientWith(200, { 'retry-after': '3600' });
      await client.getInfo();
      const waits = client.getInfo({ maxWaitMs: Infinity }).catch((error) => console.log(error.name));
      console.log(client.waiting);
      await client.close();
      await waits;
    `;
    expect(await run(program)).toEqual({ said: '1, ClosedError, exit', code: 0 });
  });
});
