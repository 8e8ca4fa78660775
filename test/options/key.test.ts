import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type ConfigError, isConfigError } from '../../src/errors.ts';
import { refusal } from '../support/refusal.ts';
import { KEY, settings } from './support/settings.ts';

/** The `ConfigError` with which a function's key is refused. */
async function refusalOf(promise: unknown): Promise<ConfigError> {
  const error = await Promise.resolve(promise).then(
    () => new Error('was accepted'),
    (error: unknown) => error,
  );
  if (isConfigError(error)) return error;
  throw error;
}

describe('the key', () => {
  test('is given by a function, and shown by no inspection', () => {
    const found = settings({ apiKey: KEY });
    expect(found.key()).toBe(KEY);
    expect(inspect(found, { depth: 9, showHidden: true })).not.toContain(KEY);
    expect(JSON.stringify(found)).not.toContain(KEY);
  });

  test('may come from a function, which is asked each time', async () => {
    const keys = ['first', 'second', undefined];
    const { key } = settings({ apiKey: async () => keys.shift() });
    expect([await key(), await key(), await key()]).toEqual(['first', 'second', undefined]);
  });

  test.each(['!', '~'.repeat(512), 'it\'s#a"key'])('may be %j', (apiKey) => {
    expect(settings({ apiKey }).key()).toBe(apiKey);
  });

  const bad = [
    '',
    ' ',
    `${KEY} `,
    ` ${KEY}`,
    `${KEY}\n`,
    `${KEY}\r\nx: y`,
    `${KEY}\u0000`,
    `${KEY}é`,
    `${KEY}€`,
    'k'.repeat(513),
  ];

  test.each(bad)('must not be %j, which is not repeated', async (apiKey) => {
    const errors = [refusal(() => settings({ apiKey })), await refusalOf(settings({ apiKey: () => apiKey }).key())];
    for (const error of errors) {
      expect(error.option).toBe('apiKey');
      expect(error.message).toMatch(/^apiKey (is empty: omit it|must be 1 to 512 visible ASCII characters)/);
      expect(inspect(error)).not.toMatch(/sk_live|kkk/);
    }
  });

  test('must not be empty, and an empty one is not taken for none', () => {
    expect(refusal(() => settings({ apiKey: '' })).message).toBe('apiKey is empty: omit it to call without a key');
  });

  test.each([12345, null, [KEY], { key: KEY }, true])('must not be %o, which is no text', async (apiKey) => {
    const errors = [refusal(() => settings({ apiKey })), await refusalOf(settings({ apiKey: () => apiKey }).key())];
    for (const error of errors) {
      expect(error.message).toMatch(
        /^apiKey must be a string or a function that returns one, not (number|null|an array|an object|boolean)$/,
      );
    }
  });

  test("comes with its function's own failure", async () => {
    const failure = new Error('the vault is shut');
    const { key } = settings({
      apiKey: () => {
        throw failure;
      },
    });
    await expect(key()).rejects.toBe(failure);
  });
});
