import { describe, expect, it } from 'vitest';
import { configError, INFO, KEY, pair } from './support/pair.ts';

describe('what client.fetch does not send', () => {
  it.each<[string, string, RegExp]>([
    [
      'another origin',
      'https://other.test/a',
      /goes to https:\/\/other\.test, but this client is for https:\/\/api\.mock\.test: use the same base URL for both/,
    ],
    ['another port', 'https://api.mock.test:8443/', /goes to https:\/\/api\.mock\.test:8443/],
    ['another scheme', 'http://api.mock.test/', /goes to http:\/\/api\.mock\.test,/],
    ['another host by two slashes', '//other.test/a', /goes to https:\/\/other\.test,/],
    ['another host by two backslashes', '\\\\other.test/a', /goes to https:\/\/other\.test,/],
    [
      'a host that begins like the service',
      'https://api.mock.test.other.test/',
      /goes to https:\/\/api\.mock\.test\.other\.test,/,
    ],
    ['no host at all', 'data:application/json,{}', /goes to data:,/],
    ['a password', 'https://me:secret@api.mock.test/', /must not have a user name or a password/],
    ['what is no URL', 'https://', /must be a valid URL/],
  ])('is %s: %s', async (_, input, words) => {
    const { client, left, endOf } = pair({ apiKey: KEY });
    const error = await endOf(client.fetch(input));
    expect(error).toEqual(configError('input', words));
    expect(String(error)).not.toContain('secret');
    expect(left).toEqual([]);
    expect(client.quota().inFlight).toBe(0);
  });

  it.each([
    'https://api.mock.test/other',
    'https://api.mock.test/stacks/../other',
    '/../other',
    'https://api.mock.test/stacksx',
  ])('is another path than that of the base URL: %s', async (input) => {
    const { client, left, endOf } = pair({ baseUrl: 'https://api.mock.test/stacks' });
    expect(await endOf(client.fetch(input))).toEqual(
      configError('input', /goes to another path of https:\/\/api\.mock\.test/),
    );
    expect(left).toEqual([]);
  });

  it('is named without the path of the base URL, which may hold a secret', async () => {
    const { client, endOf } = pair({ baseUrl: 'https://api.mock.test/secret' });
    for (const input of ['https://other.test/secret', 'https://api.mock.test/open']) {
      expect(String(await endOf(client.fetch(input)))).not.toContain('secret');
    }
  });

  it.each([undefined, null, 7, {}])('is what is neither a URL nor a Request: %s', async (input) => {
    const { client, endOf } = pair();
    expect(await endOf(client.fetch(input as unknown as string))).toEqual(
      configError('input', /must be a URL, a string or a Request, not/),
    );
  });

  it.each([5, 'POST', true])('is an init that is no object: %s', async (init) => {
    const { client, endOf } = pair();
    expect(await endOf(client.fetch(INFO, init as unknown as RequestInit))).toEqual(
      configError('init', /must be an object such as { method: 'POST' }, not/),
    );
  });

  it.each([{ maxWaitMs: 2_000 }, { priority: 10 }, { method: 'POST', body: 'x', cost: 5 }, { streamBody: true }])(
    'is one with an option of fetchWith in its init, which fetch would ignore: %o',
    async (init) => {
      const { client, left, endOf } = pair();
      const error = await endOf(client.fetch(INFO, init as RequestInit));
      expect(String(error)).toMatch(
        /ConfigError: (\w+) is no option of fetch: client\.fetchWith\({ \1 }\) returns a fetch that has it/,
      );
      expect(left).toEqual([]);
    },
  );

  it('is one with a label in its init, which only calls of another kind have', async () => {
    const { client, left, endOf } = pair();
    expect(await endOf(client.fetch(INFO, { label: 'job 7' } as RequestInit))).toEqual(
      configError('label', /is no option of fetch: client\.get and client\.request have it/),
    );
    expect(left).toEqual([]);
  });

  it('is not one with a priority as fetch knows it', async () => {
    const { client, endOf } = pair();
    expect(await endOf(client.fetch(INFO, { priority: 'low' }))).toMatchObject({ status: 200 });
  });

  it('is not one with null for an init, as for `fetch`', async () => {
    const { client, endOf } = pair();
    expect(await endOf(client.fetch(INFO, null as unknown as undefined))).toMatchObject({ status: 200 });
  });

  it.each<[string, Parameters<typeof fetch>]>([
    ['init', [INFO, { headers: { 'X-API-Key': 'another-key' } }]],
    ['a Request', [new Request(`https://api.mock.test${INFO}`, { headers: { 'x-api-key': 'another-key' } })]],
    ['init, under its older name', [INFO, { headers: [['x-hiro-api-key', 'another-key']] }]],
  ])('is a key of the other client’s own in %s: there is one key, for there is one quota', async (_, args) => {
    const { client, left, endOf } = pair({ apiKey: KEY });
    const error = await endOf(client.fetch(...args));
    expect(error).toEqual(configError('headers', /cannot carry a key in x-(hiro-)?api-key: it is the option apiKey/));
    expect(JSON.stringify(error) + String(error)).not.toContain('another-key');
    expect(left).toEqual([]);
  });

  it('is a header that cannot be sent, and the error does not quote it', async () => {
    const { client, endOf } = pair();
    const error = await endOf(client.fetch(INFO, { headers: { authorization: 'secret\nsecret' } }));
    expect(error).toEqual(configError('headers', /without line breaks/));
    expect(String(error)).not.toContain('secret');
  });

  it('is what fetch itself would refuse', async () => {
    const { client, left, endOf } = pair();
    expect(await endOf(client.fetch(INFO, { body: 'words' }))).toBeInstanceOf(TypeError);
    const used = new Request(`https://api.mock.test${INFO}`, { method: 'POST', body: 'words' });
    await used.text();
    expect(await endOf(client.fetch(used))).toBeInstanceOf(TypeError);
    expect(left).toEqual([]);
  });
});
