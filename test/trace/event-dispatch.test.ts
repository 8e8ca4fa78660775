import { AsyncLocalStorage } from 'node:async_hooks';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import type { ClientEvent } from '../../src/events.ts';
import { createMockService, virtualClock } from '../../src/testing/index.ts';
import { ADDRESS, told } from './support/told.ts';

describe('listeners', () => {
  it('can be added and removed', async () => {
    const { clock, client } = told();
    const heard: string[] = [];
    const end = client.subscribe((event) => heard.push(`${event.type} ${'call' in event ? event.call : ''}`));
    await clock.run(client.getInfo());
    end();
    await clock.run(client.getInfo());
    expect(heard).toEqual(['called 1', 'sent 1', 'answered 1', 'done 1']);
  });

  it('are called twice if they are one function twice, and each ends by itself', async () => {
    const { clock, client } = told();
    let heard = 0;
    const hear = (): void => void heard++;
    const end = client.subscribe(hear);
    client.subscribe(hear);
    await clock.run(client.getInfo());
    expect(heard).toBe(8);
    end();
    await clock.run(client.getInfo());
    expect(heard).toBe(12);
  });

  it('are called in the async context and on the stack of the caller', () => {
    const { client } = told();
    const heard: string[] = [];
    client.subscribe(({ type }) => heard.push(type));
    client.getAddressAssets(ADDRESS).catch(() => {});
    expect(heard[0]).toBe('called');
  });

  it('of another realm may reject: that is ignored', async () => {
    const { clock, client } = told();
    const rejection = vi.fn();
    process.on('unhandledRejection', rejection);
    client.subscribe(runInNewContext('async () => { throw new Error("of a listener"); }'));
    await clock.run(client.getInfo());
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', rejection);
    expect(rejection).not.toHaveBeenCalled();
  });

  it('cost no event where there are none', async () => {
    const clock = virtualClock();
    const mock = createMockService({ clock, latencyMs: 100, keyless: { minute: 2 } });
    const instants = vi.fn(() => 0);
    const { origin: baseUrl, fetch } = mock;
    const client = createClient({ baseUrl, fetch, clock: { ...clock, wall: instants } });
    await clock.run(client.getInfo());
    // The reading of the headers says when they were received.
    expect(instants).toHaveBeenCalledTimes(1);
  });
});

describe('a listener', () => {
  /** `called 1` for the first event of the first call. */
  const nameOf = (event: ClientEvent): string => `${event.type} ${'call' in event ? event.call : ''}`;

  it('that makes a call gets its event after it returns, and so does each other listener, in order', async () => {
    const { clock, client, events } = told();
    const heard: string[] = [];
    let isHearing = false;
    client.subscribe((event) => {
      heard.push(isHearing ? 'within another' : nameOf(event));
      isHearing = true;
      if (event.type === 'called' && event.call < 3) client.getInfo().catch(() => {});
      isHearing = false;
    });
    await clock.run(client.getInfo());
    await clock.run(client.idle());
    expect(heard.slice(0, 3)).toEqual(['called 1', 'called 2', 'called 3']);
    expect(heard.filter((name) => name.startsWith('done'))).toHaveLength(3);
    expect(events.map(nameOf)).toEqual(heard);
  });

  it('that calls without end does not exhaust the stack', async () => {
    const { clock, client } = told({ keyless: { minute: 100_000 } });
    let calls = 0;
    client.subscribe((event) => {
      if (event.type === 'called' && ++calls < 3_000) client.getInfo().catch(() => {});
    });
    client.getInfo().catch(() => {});
    expect(calls).toBe(3_000);
    await clock.run(client.close());
  });

  it('that subscribes another lets it receive the events from then on, and none before', async () => {
    const { clock, client } = told();
    const heard: string[] = [];
    let end = (): void => {};
    const endFirst = client.subscribe((event) => {
      if (nameOf(event) !== 'called 1') return;
      void client.getInfo();
      end = client.subscribe((later) => heard.push(nameOf(later)));
      void client.getInfo();
      endFirst();
    });
    await clock.run(client.getInfo());
    await clock.run(client.idle());
    expect(heard).toContain('called 3');
    expect(heard).not.toContain('called 1');
    expect(heard).not.toContain('called 2');
    end();
    const before = heard.length;
    await clock.run(client.getInfo());
    expect(heard).toHaveLength(before);
  });

  it('that unsubscribes receives nothing more, not even events that have happened already', async () => {
    const { clock, client } = told();
    const heard: string[] = [];
    const end = client.subscribe((event) => {
      heard.push(nameOf(event));
      void client.getInfo();
      end();
    });
    await clock.run(client.getInfo());
    await clock.run(client.idle());
    expect(heard).toEqual(['called 1']);
  });

  it('that closes the client rejects the calls that wait, and gets the event of each after it returns', async () => {
    const { clock, client } = told();
    const heard: string[] = [];
    let isHearing = false;
    client.subscribe((event) => {
      heard.push(isHearing ? 'within another' : nameOf(event));
      isHearing = true;
      if (event.type === 'sent') void client.close();
      isHearing = false;
    });
    const ends = await clock.run(Promise.allSettled([client.getInfo(), client.getInfo(), client.getInfo()]));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(heard.slice(-5)).toEqual(['sent 1', 'failed 2', 'failed 3', 'answered 1', 'done 1']);
  });

  it('gets the events of a call of its own within the async context in which it made that', async () => {
    const { clock, client } = told();
    const context = new AsyncLocalStorage<string>();
    const heard: (string | undefined)[] = [];
    client.subscribe((event) => {
      if (event.type !== 'called') return;
      heard.push(context.getStore());
      if (event.call === 1) context.run('inner', () => void client.getInfo());
    });
    await context.run('outer', () => clock.run(client.getInfo()));
    expect(heard).toEqual(['outer', 'inner']);
  });
});
