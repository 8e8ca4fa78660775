import { describe, expect, test } from 'vitest';
import { refusal } from '../support/refusal.ts';
import { KEY, settings } from './support/settings.ts';

describe('the base URL', () => {
  test.each([
    ['https://api.hiro.so/', 'https://api.hiro.so'],
    ['HTTPS://API.HIRO.SO:443', 'https://api.hiro.so'],
    ['https://gateway.example/stacks/main///', 'https://gateway.example/stacks/main'],
    ['http://localhost:3999', 'http://localhost:3999'],
    ['http://[::1]:3999/', 'http://[::1]:3999'],
    ['http://gateway.example', 'http://gateway.example'],
    ['https://gateway.example/a/%2e%2e/b', 'https://gateway.example/b'],
  ])('%s is taken as %s', (baseUrl, normalised) => {
    expect(settings({ baseUrl }).baseUrl).toBe(normalised);
  });

  test.each([
    ['', 'must begin with https:// or http://, such as https://api.hiro.so'],
    ['api.hiro.so', 'must begin with https:// or http://, such as https://api.hiro.so'],
    ['ftp://api.hiro.so', 'must begin with https:// or http://, such as https://api.hiro.so'],
    ['https:api.hiro.so', 'must begin with https:// or http://, such as https://api.hiro.so'],
    ['https:///api.hiro.so', 'must begin with https:// or http://, such as https://api.hiro.so'],
    ['javascript:alert(1)', 'must begin with https:// or http://, such as https://api.hiro.so'],
    ['https://api.hiro.so/?', 'must not have a query or a fragment'],
    ['https://api.hiro.so?a=b', 'must not have a query or a fragment'],
    ['https://api.hiro.so#', 'must not have a query or a fragment'],
    ['https://user:secret@api.hiro.so', 'must not have a user name or a password'],
    ['https://secret@api.hiro.so', 'must not have a user name or a password'],
    [' https://api.hiro.so', 'must begin with https:// or http://, such as https://api.hiro.so'],
    ['https://api.hiro.so\n', 'must not have white space, control characters or backslashes'],
    ['https://api.hi\tro.so', 'must not have white space, control characters or backslashes'],
    ['https://api.hiro.so\\@evil.example', 'must not have white space, control characters or backslashes'],
    ['https://api.hiro.so:99999', 'must be a URL such as https://api.hiro.so'],
    ['https://%', 'must be a URL such as https://api.hiro.so'],
    [`https://api.hiro.so/${'/'.repeat(100_000)}`, 'must be a URL of at most 2048 characters, not 100020'],
  ])('%j is refused', (baseUrl, problem) => {
    const error = refusal(() => settings({ baseUrl }));
    expect(error.option).toBe('baseUrl');
    expect(error.message).toBe(`baseUrl ${problem}`);
  });

  test('that is no text is refused', () => {
    expect(refusal(() => settings({ baseUrl: new URL('https://api.hiro.so') })).message).toBe(
      'baseUrl must be text, not an object (URL)',
    );
  });

  test.each([
    'http://localhost',
    'http://LOCALHOST:3999/api',
    'http://127.0.0.1',
    'http://127.1:80',
    'http://127.255.0.9',
    'http://[::1]:8080',
    'http://[0:0:0:0:0:0:0:1]',
  ])('may be %s with a key, for that is this very machine', (baseUrl) => {
    expect(settings({ baseUrl, apiKey: KEY }).key()).toBe(KEY);
  });

  test.each([
    'http://api.hiro.so',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://128.0.0.1',
    'http://0.0.0.0',
    'http://[::2]',
    'http://192.168.0.1',
  ])('must not be %s with a key, whose way there can be listened to', (baseUrl) => {
    for (const apiKey of [KEY, () => KEY, () => undefined]) {
      const error = refusal(() => settings({ baseUrl, apiKey }));
      expect(error.message).toBe('baseUrl must be https when a key is set (apiKey), except on this machine');
    }
    expect(settings({ baseUrl }).baseUrl).toBe(baseUrl);
  });
});
