import { describe, expect, it } from 'vitest';
import { instrumented } from './support/collect.ts';

const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';
const INFO = { 'stacks_quota.endpoint': 'GET /extended/v1/info' };
const REQUEST = {
  'http.request.method': 'GET',
  'server.address': 'api.mock.test',
  'server.port': 443,
  'url.scheme': 'https',
  'url.template': '/extended/v1/info',
};
const window = (name: string) => ({ 'stacks_quota.window': name });

describe('the metrics', () => {
  it('have the duration of requests by the conventions for HTTP clients', async () => {
    const { clock, mock, client, points } = instrumented();
    mock.faults.next(1, { status: 503 });
    mock.faults.next(1, 'reset');
    await clock.run(client.getInfo());
    expect(await points('http.client.request.duration')).toEqual([
      [
        { ...REQUEST, 'http.response.status_code': 503, 'error.type': '503' },
        { count: 1, sum: 0.1 },
      ],
      [
        { ...REQUEST, 'error.type': 'ECONNRESET' },
        { count: 1, sum: expect.any(Number) },
      ],
      [
        { ...REQUEST, 'http.response.status_code': 200 },
        { count: 1, sum: 0.1 },
      ],
    ]);
  });

  it('have every window as it is when they are collected', async () => {
    const { clock, client, points } = instrumented({ keyless: { second: 20, minute: 1_000 } });
    expect(await points('stacks_quota.limit')).toEqual([]);
    await clock.run(Promise.all(Array.from({ length: 3 }, () => client.getInfo())));
    expect(await points('stacks_quota.limit')).toEqual([
      [window('second'), 20],
      [window('minute'), 1_000],
    ]);
    expect(await points('stacks_quota.remaining')).toContainEqual([window('minute'), 997]);
    await clock.advance(120_000);
    expect(await points('stacks_quota.headroom')).toEqual([
      [window('second'), 20],
      [window('minute'), 1_000],
    ]);
  });

  it('have one window of an endpoint, the tightest of several', async () => {
    const { clock, client, points } = instrumented({
      keyless: { minute: 10_000 },
      ceilings: { assets: { limit: 5, period: 'minute' }, info: { limit: 50, period: 'minute' } },
      headers: { generic: 'per endpoint ceiling' },
    });
    await clock.run(Promise.all([client.getInfo(), client.getAddressAssets(ADDRESS)]));
    const own = client.quota().windows.filter((view) => view.window === 'endpoint');
    expect(own.map(({ limit }) => limit)).toEqual([50, 5]);
    expect(await points('stacks_quota.limit')).toEqual([
      [window('minute'), 10_000],
      [window('endpoint'), 5],
    ]);
  });

  it('have the time that calls wait, and why', async () => {
    const { clock, client, points } = instrumented({ keyless: { minute: 1 } });
    await clock.run(Promise.all([client.getInfo(), client.getInfo()]));
    const waits = await points('stacks_quota.wait.duration');
    expect(waits).toEqual([
      [
        { ...INFO, 'stacks_quota.reason': 'none' },
        { count: 1, sum: 0 },
      ],
      [
        { ...INFO, 'stacks_quota.reason': 'window', ...window('minute') },
        { count: 1, sum: expect.any(Number) },
      ],
    ]);
    const [, { sum }] = waits[1] as [object, { sum: number }];
    expect(sum).toBeGreaterThan(39);
    expect(sum).toBeLessThan(42);
  });

  it('have those that wait and those under way', async () => {
    const { clock, client, points } = instrumented({}, { concurrency: 1 });
    const calls = [client.getInfo(), client.getInfo(), client.getInfo()];
    await clock.advance(0);
    expect(await points('stacks_quota.calls.waiting')).toEqual([[{}, 2]]);
    expect(await points('stacks_quota.requests.in_flight')).toEqual([[{}, 1]]);
    await clock.run(Promise.all(calls));
    expect(await points('stacks_quota.calls.waiting')).toEqual([[{}, 0]]);
  });

  it('have costs, refusals and how calls end', async () => {
    const { clock, mock, client, points } = instrumented({ cost: () => 3 });
    mock.faults.next(1, { status: 429, headers: { 'retry-after': '2' } });
    await clock.run(client.getInfo());
    await clock.run(client.getInfo({ maxWaitMs: 0, signal: AbortSignal.abort() }).catch(() => {}));
    expect(await points('stacks_quota.cost')).toContainEqual([
      INFO,
      { count: expect.any(Number), sum: expect.any(Number) },
    ]);
    expect(await points('stacks_quota.limited')).toEqual([[{ ...INFO, 'http.response.status_code': 429 }, 1]]);
    expect(await points('stacks_quota.call.duration')).toMatchObject([
      [INFO, { count: 1 }],
      [{ ...INFO, 'error.type': 'aborted' }, { count: 1 }],
    ]);
  });

  it('have what the service counted and we cannot have spent', async () => {
    const { clock, mock, client, points } = instrumented();
    for (const theirs of [0, 0, 7, 5, 0]) {
      mock.spend(theirs);
      await clock.run(client.getInfo());
    }
    expect(await points('stacks_quota.drift')).toEqual([[window('minute'), 0]]);
    expect(await points('stacks_quota.unexplained')).toEqual([[window('minute'), 12]]);
  });

  it('end when they are told to', async () => {
    const { clock, client, points, end } = instrumented();
    await clock.run(client.getInfo());
    end();
    await clock.run(client.getInfo());
    expect(await points('stacks_quota.limit')).toEqual([]);
    expect(await points('stacks_quota.call.duration')).toMatchObject([[INFO, { count: 1 }]]);
  });

  it('leave requests to the fetch beneath, where that is instrumented by itself', async () => {
    const { clock, client, points } = instrumented({}, {}, { requests: false });
    await clock.run(client.getInfo());
    expect(await points('http.client.request.duration')).toEqual([]);
    expect(await points('stacks_quota.call.duration')).toMatchObject([[INFO, { count: 1 }]]);
  });
});
