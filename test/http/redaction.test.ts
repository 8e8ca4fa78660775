import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redaction, redactedHeaders } from '../../src/http/redaction.ts';

const KEY = 'k3y/of+"31"\\characters=&<0123>%41';

function redactionOf(...keys: readonly string[]): Redaction['redact'] {
  const redaction = new Redaction();
  for (const key of keys) redaction.learn(key);
  return redaction.redact;
}

const hexOf = (letter: string): string => letter.charCodeAt(0).toString(16).padStart(2, '0');
const each = (spell: (letter: string) => string): string => [...KEY].map(spell).join('');

describe('a key is taken out of a text', () => {
  it.each([
    ['as it is', KEY],
    ['as JSON has it', JSON.stringify(KEY).slice(1, -1)],
    ['as JSON has it that escapes slashes', JSON.stringify(KEY).slice(1, -1).replaceAll('/', '\\/')],
    ['as JSON within JSON has it', JSON.stringify(JSON.stringify(KEY)).slice(3, -3)],
    ['with every character escaped', each((letter) => `\\u00${hexOf(letter)}`)],
    ['the same in capitals', each((letter) => `\\u00${hexOf(letter).toUpperCase()}`)],
    ['as a URL has it', encodeURIComponent(KEY)],
    ['with every character as a URL may have it', each((letter) => `%${hexOf(letter)}`)],
    ['half one way and half another', `%6b\\u0033${KEY.slice(2)}`],
  ])('%s', (_, spelt) => {
    expect(redactionOf(KEY)(`<${spelt}> and <${spelt}>`)).toBe('<[redacted]> and <[redacted]>');
  });

  it('and no other text is', () => {
    const redact = redactionOf(KEY);
    for (const text of ['', 'k3y', KEY.slice(1), KEY.slice(0, -1), 'a\\/b\\u0041%41', KEY.toUpperCase()])
      expect(redact(text)).toBe(text);
  });

  it('whatever characters it has', () => {
    const key = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 7,
    });
    fc.assert(
      fc.property(key, fc.constantFrom('', '\\', '%', '\\u0041', '%41'), (secret, before) => {
        const redact = redactionOf(secret);
        for (const spelt of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
          expect(redact(`${before} ${spelt} %`)).toBe(`${before} [redacted] %`);
      }),
    );
  });

  it('and many backslashes are no work without end', () => {
    const many = '\\'.repeat(40);
    expect(redactionOf(`${many}x`)(`${many.repeat(4)}y`)).toBe(`${many.repeat(4)}y`);
  });

  it('whole, though another key is the beginning of it', () => {
    for (const keys of [
      ['the-key', 'the-key-2'],
      ['the-key-2', 'the-key'],
    ])
      expect(redactionOf(...keys)('<the-key-2> and <the-key>')).toBe('<[redacted]> and <[redacted]>');
  });

  it('though others were sent since, up to eight, of which one may be the same again', () => {
    const others = Array.from({ length: 6 }, (_, at) => `another-key-${at}`);
    const redact = redactionOf('first-key', 'second-key', ...others, 'first-key', 'last-key');
    const texts = ['first-key', 'second-key', 'another-key-0', 'last-key'];
    expect(texts.map(redact)).toEqual(['[redacted]', 'second-key', '[redacted]', '[redacted]']);
  });
});

it('a header whose name contains a key is left out, and in a value the key is taken out', () => {
  const headers = new Headers({ 'x-the-key': 'a', 'x-echo': 'b the-key' });
  expect(redactedHeaders(headers, redactionOf('the-key'))).toEqual([['x-echo', 'b [redacted]']]);
});
