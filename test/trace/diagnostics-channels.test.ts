import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { createMockService, virtualClock } from '../../src/testing/index.ts';
import { told } from './support/told.ts';

describe('node:diagnostics_channel', () => {
  it('carries every event to each subscriber', async () => {
    const seen: unknown[] = [];
    const look = (event: unknown, name: string | symbol): void => void seen.push([name, event]);
    const { clock, client, events } = told();
    const types = ['called', 'sent', 'answered', 'done'] as const;
    for (const type of types) subscribe(`stacks-quota:${type}`, look);
    await clock.run(client.getInfo());
    for (const type of types) unsubscribe(`stacks-quota:${type}`, look);
    await clock.run(client.getInfo());
    expect(seen).toEqual(events.slice(0, 4).map((event) => [`stacks-quota:${event.type}`, event]));
  });

  it('needs no listener of the client’s own, and carries only events with subscribers', async () => {
    const clock = virtualClock();
    const { origin: baseUrl, fetch } = createMockService({ clock });
    const client = createClient({ baseUrl, fetch, clock });
    const seen: unknown[] = [];
    const look = (event: unknown): void => void seen.push(event);
    const publish = vi.spyOn(channel('stacks-quota:sent'), 'publish');
    subscribe('stacks-quota:done', look);
    await clock.run(client.getInfo());
    unsubscribe('stacks-quota:done', look);
    expect(seen).toMatchObject([{ type: 'done', call: 1 }]);
    expect(publish).not.toHaveBeenCalled();
  });

  it.each(['is not there', 'is forbidden'])('is done without where the module %s', async (what) => {
    const { getBuiltinModule } = process;
    vi.spyOn(process, 'getBuiltinModule').mockImplementation((name: string) => {
      if (name !== 'node:diagnostics_channel') return getBuiltinModule(name);
      if (what === 'is forbidden') throw new Error('no access');
      return undefined as never;
    });
    const { clock, client, types } = told();
    await clock.run(client.getInfo());
    expect(types(1)).toEqual(['called', 'sent', 'answered', 'done']);
  });
});
