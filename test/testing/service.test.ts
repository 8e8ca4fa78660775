import { describe, expect, it } from 'vitest';
import { createMockService, virtualClock } from '../../src/testing/index.ts';

const INFO = 'https://api.mock.test/extended/v1/info';

describe('createMockService', () => {
  it('gives callers without a key 50 requests a minute, and names the whole seconds to wait', async () => {
    const clock = virtualClock({ wall: Date.UTC(2026, 0, 1, 0, 0, 12, 300) });
    const service = createMockService({ clock });
    for (let sent = 0; sent < 50; sent++) expect((await service.fetch(INFO)).status).toBe(200);
    const refused = await service.fetch(INFO);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('48');
    await clock.advance(47_699);
    expect((await service.fetch(INFO)).status).toBe(429);
    await clock.advance(1);
    expect((await service.fetch(INFO)).status).toBe(200);
    expect([service.requests, service.limited]).toEqual([53, 2]);
  });
});
