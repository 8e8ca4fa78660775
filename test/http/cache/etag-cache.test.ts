import { expect, it } from 'vitest';
import { requestName } from '../../../src/http/cache/coalesce.ts';
import { type EtagLimits, withEtagCache } from '../../../src/http/cache/etag-cache.ts';
import type { Call, Reply } from '../../../src/http/call.ts';

const URL = 'https://api.test/a';
const ETAG = { etag: '"1"' };

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly isRedirected?: boolean;
}

/** A cache in front of a service that gives these answers, and the conditions that it was sent. */
function cache(answers: readonly Answer[], limits: Partial<EtagLimits> = {}) {
  const left = [...answers];
  const conditions: (string | undefined)[] = [];
  const run = withEtagCache(
    async ({ request }) => {
      conditions.push(request.headers?.['if-none-match']);
      const { status = 200, headers = {}, body = '{}', isRedirected = false } = left.shift() ?? {};
      return { status, headers: new Headers(headers), bytes: new TextEncoder().encode(body), isRedirected } as Reply;
    },
    { entries: 9, bytes: 9_999, ...limits },
    (text) => text,
  );
  const ask = (headers: Record<string, string> = {}, url = URL): Promise<Reply> =>
    run({ request: { method: 'GET', url, headers } } as unknown as Call);
  return { ask, conditions };
}

it.each(['x-range', 'ranges', 'x-if-match'])('a header that only resembles a condition, %s, is none', async (name) => {
  const { ask, conditions } = cache([{ headers: ETAG }, { headers: ETAG }]);
  for (let nth = 0; nth < 2; nth++) await ask({ [name]: '1' });
  expect(conditions).toEqual([undefined, '"1"']);
});

it('a 304 renews the headers of an answer but for those of its body, and takes away those of its moment', async () => {
  const moment = { date: 'then', age: '1', 'retry-after': '1', 'x-ratelimit-cost': '1' };
  const kept = { 'content-type': 'old', 'x-update': 'old', agent: 'old' };
  const news = { 'content-type': 'new', 'content-security-policy': 'new', 'x-connection': 'new', connection: 'new' };
  const { ask } = cache([{ headers: { ...ETAG, ...moment, ...kept } }, { status: 304, headers: news }]);
  await ask();
  const { headers } = await ask();
  const renewed = { ...ETAG, ...kept, 'content-security-policy': 'new', 'x-connection': 'new' };
  expect(Object.fromEntries(headers)).toEqual(renewed);
});

it.each<[string, Answer]>([
  ['a success with another status than 200', { status: 203, headers: ETAG }],
  ['what a redirect has led to', { headers: ETAG, isRedirected: true }],
])('%s is not kept', async (_, answer) => {
  const { ask, conditions } = cache([answer]);
  for (let nth = 0; nth < 2; nth++) await ask();
  expect(conditions).toEqual([undefined, undefined]);
});

it('an answer is kept through a 500, and forgotten after any lower status', async () => {
  const { ask, conditions } = cache([{ headers: ETAG }, { status: 500 }, { status: 499 }]);
  for (let nth = 0; nth < 4; nth++) await ask();
  expect(conditions).toEqual([undefined, '"1"', '"1"', undefined]);
});

it('a 304 that was not asked for is given as it is', async () => {
  const { ask } = cache([{ status: 304 }]);
  expect((await ask()).status).toBe(304);
});

it('an ETag with W/ in its midst is another than one without', async () => {
  const { ask, conditions } = cache([{ headers: { etag: '"aW/b"' } }, { status: 304, headers: { etag: '"ab"' } }]);
  for (let nth = 0; nth < 2; nth++) await ask();
  expect(conditions).toEqual([undefined, '"aW/b"', undefined]);
});

it('answers are kept as long as their names, headers and bodies have together just as many bytes as may be', async () => {
  const other = `${URL}/b`;
  const size = requestName({ method: 'GET', url: URL, headers: {} }).length + 'etag'.length + 3 + 10;
  for (const [bytes, known] of [
    [size - 1, [undefined, undefined, undefined]],
    [size, ['"1"', undefined, '"1"']],
    [2 * size + 1, ['"1"', undefined, undefined]],
    [2 * size + 2, ['"1"', '"1"', '"1"']],
  ] as const) {
    const answer = { headers: ETAG, body: 'x'.repeat(10) };
    const { ask, conditions } = cache(Array(5).fill(answer), { bytes });
    for (const url of [other, URL, URL, other, URL]) await ask({}, url);
    expect(conditions.slice(2), String(bytes)).toEqual(known);
  }
});
