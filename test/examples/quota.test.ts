import { createMockService } from 'stacks-quota/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { endAll, run } from './start.ts';

afterAll(endAll);

describe('the look at the quota', { timeout: 60_000, concurrent: true }, () => {
  it('shows what the headers of one answer of its own mock say', async () => {
    const { code, out, err } = await run('quota.ts');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^second {3}█+░+ 19 of 20 left$/m);
    expect(out).toMatch(/^minute {3}█+░+ 376 of 500 left$/m);
    expect(out).toMatch(/^month {4}█+ 149,876 of 150,000 left$/m);
    expect(out).toMatch(/^Until [\d-]+T[\d:]+\.000Z this endpoint has 19 of 20 left\.$/m);
    expect(out).toContain('The service answered 200, and counted 1 unit for it.');
  });

  it('asks a live service once, with HEAD, and reads the headers of any answer', async () => {
    const service = createMockService({ info: 404, headCost: 0, keyless: { minute: 50 } });
    const { url, close } = await service.listen();
    const { code, out } = await run('quota.ts', [], { STACKS_API_URL: url });
    await close();
    expect(code).toBe(0);
    expect(out).toMatch(/^minute {3}█{40} 50 of 50 left$/m);
    expect(out).toContain('The service answered 404, and counted 0 units for it.');
    expect(service.log.map(({ method, path }) => `${method} ${path}`)).toEqual(['HEAD /extended/v1/info']);
  });

  it('says so where the headers say nothing', async () => {
    const service = createMockService({ headers: { family: false, generic: false, cost: false } });
    const { url, close } = await service.listen();
    const { out } = await run('quota.ts', [], { STACKS_API_URL: url });
    await close();
    expect(out).toContain('The headers say nothing of a quota.');
    expect(out).toContain('The service answered 200, and counted nobody knows what for it.');
  });

  it('says in one line that nobody is there', async () => {
    const { url, close } = await createMockService().listen();
    await close();
    const { code, out, err } = await run('quota.ts', [], { STACKS_API_URL: url });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^.*no usable answer.*ECONNREFUSED.*\n$/);
  });
});
