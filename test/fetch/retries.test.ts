import { describe, expect, it } from 'vitest';
import { answering, INFO, pair } from './support/pair.ts';

const POST = { method: 'POST', body: 'words' };

describe('a request by client.fetch that the service refuses because of a limit', () => {
  it.each(['GET', 'POST', 'PUT', 'DELETE'])('is sent again with its body, as %s', async (method) => {
    const { clock, mock, client, left } = pair({ maxAttempts: 1 });
    mock.faults.next(2, { status: 429, headers: { 'retry-after': '7' } });
    const body = method === 'GET' ? '' : 'words';
    const response = await clock.run(client.fetch('/v2/transactions', { method, ...(body && { body }) }));
    expect(response.status).toBe(404);
    expect(left.map((request) => [request.method, request.body])).toEqual(Array(3).fill([method, body]));
    expect(clock.now()).toBeGreaterThan(14_000);
  });

  it('five times is answered by the fifth refusal, with its body', async () => {
    const { clock, mock, client } = pair();
    mock.faults.when(() => ({ status: 429, headers: { 'retry-after': '1' }, body: '{"message":"slow down"}' }));
    const response = await clock.run(client.fetch(INFO, POST));
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await response.json()).toEqual({ message: 'slow down' });
    expect(mock.requests).toBe(5);
  });

  it('five times is answered by the fifth although its body breaks off', async () => {
    const broken = () => new ReadableStream({ pull: (controller) => controller.error(new Error('cut')) });
    const { clock, client } = answering(() => new Response(broken(), { status: 429, headers: { 'retry-after': '1' } }));
    const response = await clock.run(client.fetch(INFO));
    expect([response.status, await response.text()]).toEqual([429, '']);
  });

  it('for longer than it would wait is an error, and not sent again', async () => {
    const { mock, client, endOf } = pair();
    mock.faults.when(() => ({ status: 429, headers: { 'retry-after': '1800' } }));
    const error = await endOf(client.fetch(INFO));
    expect(error).toMatchObject({ name: 'QuotaExhaustedError', window: 'cooldown', retryAfterMs: 1_800_000 });
    expect(mock.requests).toBe(1);
  });

  it('is sent again only if it was certainly not done, where it is no GET', async () => {
    const { clock, mock, client } = pair();
    mock.faults.next(1, { status: 504, headers: { 'retry-after': '1' }, body: 'late' });
    const response = await clock.run(client.fetch('/v2/transactions', POST));
    expect([response.status, await response.text(), mock.requests]).toEqual([504, 'late', 1]);
  });
});

describe('a request by client.fetch that fails', () => {
  it('is sent again if it is a GET', async () => {
    const { clock, mock, client, codes } = pair();
    mock.faults.next(1, 'reset');
    mock.faults.next(1, { status: 502 });
    expect((await clock.run(client.fetch(INFO))).status).toBe(200);
    expect([codes(), mock.log.length]).toEqual([['ECONNRESET'], 2]);
  });

  it('is not sent again if it is a POST: the service may have done it', async () => {
    const { clock, mock, client, left, endOf } = pair();
    mock.faults.next(1, 'lost');
    expect(await endOf(client.fetch('/v2/transactions', POST))).toMatchObject({ name: 'ConnectionError', attempts: 1 });
    mock.faults.next(1, { status: 502, body: 'bad' });
    expect((await clock.run(client.fetch('/v2/transactions', POST))).status).toBe(502);
    expect(left).toHaveLength(2);
  });

  it('at last with an answer is answered by it', async () => {
    const { clock, mock, client } = pair({ maxAttempts: 2 });
    mock.faults.when(() => ({ status: 503, body: '{"error":"busy"}' }));
    const response = await clock.run(client.fetch(INFO));
    expect([response.status, await response.json(), mock.requests]).toEqual([503, { error: 'busy' }, 2]);
  });
});
