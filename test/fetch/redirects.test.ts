import { describe, expect, it } from 'vitest';
import { answering, INFO, KEY, pair } from './support/pair.ts';

describe('a redirect of client.fetch', () => {
  it.each<[number, string, string, string]>([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'DELETE', 'GET', ''],
    [307, 'POST', 'POST', 'words'],
    [308, 'POST', 'POST', 'words'],
    [301, 'PUT', 'PUT', 'words'],
    [303, 'HEAD', 'HEAD', ''],
  ])('with %i makes of %s a %s', async (status, method, then, body) => {
    const { clock, mock, client, left } = pair();
    mock.faults.next(1, { redirect: '/v2/there', status: status as 301 });
    const init = method === 'HEAD' ? { method } : { method, body: 'words' };
    const response = await clock.run(client.fetch('/v2/here', init));
    const type = body === '' ? undefined : 'text/plain;charset=UTF-8';
    expect(left[1]).toMatchObject({ method: then, url: `${mock.origin}/v2/there`, body });
    expect(left[1]?.headers['content-type']).toBe(type);
    expect([response.url, response.redirected]).toEqual([`${mock.origin}/v2/there`, true]);
  });

  it('takes along what the caller’s headers say, but for what they say of a body that is left behind', async () => {
    const seen: Headers[] = [];
    const { clock, client } = answering(({ headers }) => {
      seen.push(headers);
      return seen.length === 1
        ? new Response(null, { status: 303, headers: { location: '/v2/there' } })
        : new Response();
    });
    const headers = { 'x-mine': 'yes', 'Content-Language': 'de' };
    await clock.run(client.fetch('/v2/here', { method: 'POST', body: 'words', headers }));
    expect(seen.map((one) => [one.get('x-mine'), one.get('content-language')])).toEqual([
      ['yes', 'de'],
      ['yes', null],
    ]);
  });

  it('to a part of a page gives a URL without that part, as fetch does', async () => {
    const { clock, mock, client, events, left } = pair();
    mock.faults.next(1, { redirect: '/v2/there?of=1#part' });
    const response = await clock.run(client.fetch('/v2/here'));
    const url = `${mock.origin}/v2/there?of=1`;
    expect([response.url, left[1]?.url]).toEqual([url, url]);
    expect(events.findLast(({ type }) => type === 'sent')).toMatchObject({ url });
  });

  it('leaves a GET as it is, whatever its headers say', async () => {
    const { clock, mock, client, left } = pair();
    mock.faults.next(1, { redirect: '/v2/there', status: 303 });
    await clock.run(client.fetch('/v2/here', { headers: { 'content-language': 'de' } }));
    expect(left[1]?.headers['content-language']).toBe('de');
  });

  it('is not followed to another origin, with the key or without', async () => {
    const { mock, other, client, endOf } = pair({ apiKey: KEY });
    mock.faults.next(1, { redirect: `https://other.test${INFO}` });
    expect(await endOf(client.fetch(INFO))).toMatchObject({ name: 'ConnectionError', code: 'REDIRECT' });
    expect([mock.requests, other.requests]).toEqual([1, 0]);
  });

  it('is followed three times, and the fourth is an error and no answer', async () => {
    const { mock, client, endOf } = pair();
    mock.faults.next(4, { redirect: '?again' });
    expect(await endOf(client.fetch(INFO))).toMatchObject({ name: 'ConnectionError', code: 'REDIRECT' });
    expect(mock.requests).toBe(4);
    mock.faults.next(3, { redirect: '?again' });
    expect(await endOf(client.fetch(INFO))).toMatchObject({ status: 200 });
  });

  it('is an answer where `redirect` is `manual`', async () => {
    const { clock, mock, client } = pair();
    mock.faults.next(1, { redirect: 'https://other.test/', status: 307 });
    const response = await clock.run(client.fetch(INFO, { redirect: 'manual' }));
    expect([response.status, response.headers.get('location')]).toEqual([307, 'https://other.test/']);
    expect(mock.requests).toBe(1);
  });

  it('is an error where `redirect` is `error`', async () => {
    const { mock, client, endOf } = pair();
    mock.faults.next(1, { redirect: '?again' });
    const error = await endOf(client.fetch(INFO, { redirect: 'error' }));
    expect([error, mock.requests]).toMatchObject([{ name: 'ConnectionError', code: 'REDIRECT' }, 1]);
  });
});
