import { describe, expect, it, vi } from 'vitest';
import { configError, INFO, KEY, pair } from './support/pair.ts';

describe('client.fetchWith', () => {
  it('passes URLs elsewhere to another fetch, unchanged and without the key', async () => {
    const { clock, client, left } = pair({ apiKey: KEY });
    const elsewhere = vi.fn(async () => new Response('from there'));
    const fetch = client.fetchWith({ elsewhere });
    const init = { method: 'POST', body: 'words' };
    expect(await (await clock.run(fetch('https://other.test/a', init))).text()).toBe('from there');
    expect(elsewhere.mock.calls).toEqual([['https://other.test/a', init]]);
    expect(left).toEqual([]);
    expect((await clock.run(fetch(INFO))).status).toBe(200);
    expect(elsewhere).toHaveBeenCalledOnce();
  });

  it('gives calls a priority', async () => {
    const { clock, client, left } = pair({ concurrency: 1 });
    const urgent = client.fetchWith({ priority: 10 });
    const calls = [client.fetch('/a'), client.fetch('/b'), client.fetch('/c'), urgent('/urgent')];
    await clock.run(Promise.all(calls));
    expect(left.map(({ url }) => new URL(url).pathname)).toEqual(['/a', '/urgent', '/b', '/c']);
  });

  it('bounds how long the queue may stand still, and an attempt may take', async () => {
    const { mock, client, endOf } = pair({ maxAttempts: 1 }, { keyless: { minute: 1 } });
    await endOf(client.fetch(INFO));
    const error = await endOf(client.fetchWith({ maxWaitMs: 1_000 })(INFO));
    expect(error).toMatchObject({ name: 'QuotaExhaustedError', window: 'minute', endpoint: `GET ${INFO}` });
    mock.faults.next(1, 'hang');
    expect(await endOf(client.fetchWith({ timeoutMs: 500 })(INFO))).toMatchObject({
      name: 'ConnectionError',
      code: 'TIMEOUT',
    });
  });

  it('says what calls will cost', async () => {
    const { clock, client, events } = pair();
    await clock.run(client.fetchWith({ cost: 9 })(INFO));
    expect(events[1]).toMatchObject({ type: 'sent', units: 9 });
  });

  it.each<[object, string, RegExp]>([
    [{ priority: 'high' }, 'priority', /must be a finite number/],
    [{ cost: -1 }, 'cost', /must be a finite number of units, 0 or more, not -1/],
    [{ elsewhere: 'fetch' }, 'elsewhere', /must be a function/],
    [
      { retries: 5 },
      'retries',
      /is not one of the fetch options: priority, maxWaitMs, maxQueueMs, timeoutMs, cost, elsewhere/,
    ],
  ])('refuses %o at once', (options, option, words) => {
    const { client } = pair();
    let error: unknown;
    try {
      client.fetchWith(options);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toEqual(configError(option, words));
  });
});
