import { describe, expect, it } from 'vitest';
import type { MockServiceOptions } from '../../src/testing/index.ts';
import { mockWorld } from '../support/mock-world.ts';

const WALL = Date.UTC(2026, 0, 15, 12, 0, 10);

function world(options: MockServiceOptions = {}) {
  return mockWorld({ latencyMs: 80, keys: ['a-key'], ...options }, { apiKey: 'a-key' }, WALL);
}

describe('the windows of client.quota()', () => {
  it('say when they were seen, when they reset, and which shapes they may have', async () => {
    const { clock, client } = world({ keyed: { minute: 500, month: 1_000 } });
    await clock.run(client.getInfo());
    await clock.advance(5_000);
    const [minute, month] = client.quota().windows;
    expect(minute?.seenAt).toEqual(new Date(WALL));
    expect(minute?.end).toBe('guessed');
    expect(minute?.resetsAt?.from.getTime()).toBeLessThanOrEqual(Date.UTC(2026, 0, 15, 12, 1));
    expect(minute?.resetsAt?.to.getTime()).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 15, 12, 1));
    expect(minute?.shapes).toContain('aligned');
    expect([month?.end, month?.shapes]).toEqual(['known', ['aligned']]);
    expect(month?.resetsAt?.to.getTime()).toBeLessThan(Date.UTC(2026, 1, 1, 0, 5));
    expect(JSON.parse(JSON.stringify(client.quota().windows))).toHaveLength(2);
  });

  it('have no end while the clock of the service is unknown', async () => {
    const { clock, client } = world({ headers: { date: false, generic: false } });
    await clock.run(client.getInfo());
    expect(client.quota().windows[0]).toMatchObject({ end: 'unknown' });
    expect(client.quota().windows[0]).not.toHaveProperty('resetsAt');
  });

  it('disappear when others are named for ten minutes without them, and a second sooner', async () => {
    const { clock, service, client } = world({ unknownKey: 'keyless' });
    const windows = () => client.quota().windows.map(({ window }) => window);
    await clock.run(client.getInfo());
    expect(windows()).toEqual(['second', 'minute', 'month']);
    service.revokeKey('a-key');
    await clock.run(client.getInfo());
    expect(windows()).toEqual(['second', 'minute', 'month']);
    await clock.advance(599_000);
    await clock.run(client.getInfo());
    expect(windows()).toEqual(['minute', 'month']);
    await clock.advance(2_000);
    await clock.run(client.getInfo());
    expect(windows()).toEqual(['minute']);
  });
});
