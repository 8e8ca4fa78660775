import { describe, expect, it } from 'vitest';
import { fullUrl, requestFacts } from '../../src/otel/attributes.ts';

describe('the URL of a span', () => {
  it.each([
    ['https://api.mock.test/a?limit=5', 'https://api.mock.test/a?limit=5'],
    ['https://me:secret@api.mock.test/a', 'https://REDACTED:REDACTED@api.mock.test/a'],
    ['https://api.mock.test/a?api_key=s&x=1&sig=s', 'https://api.mock.test/a?api_key=REDACTED&x=1&sig=REDACTED'],
    [
      'https://api.mock.test/a?X-Goog-Signature=s&token=s',
      'https://api.mock.test/a?X-Goog-Signature=REDACTED&token=REDACTED',
    ],
  ])('of %s opens nothing', (url, shown) => {
    expect(fullUrl(url)).toBe(shown);
  });
});

describe('a request', () => {
  it.each([
    ['http://127.0.0.1:8080/a', { 'server.address': '127.0.0.1', 'server.port': 8080, 'url.scheme': 'http' }],
    ['http://[::1]/a', { 'server.address': '::1', 'server.port': 80, 'url.scheme': 'http' }],
    ['https://api.mock.test/a', { 'server.address': 'api.mock.test', 'server.port': 443, 'url.scheme': 'https' }],
  ])('to %s is told apart by its server', (url, facts) => {
    const at = new Date(0);
    const sent = {
      type: 'sent',
      call: 1,
      endpoint: 'GET /a',
      at,
      attempt: 1,
      units: 1,
      method: 'GET',
      waitedMs: 0,
    } as const;
    expect(requestFacts({ ...sent, url })).toMatchObject(facts);
  });
});
