import { readFileSync } from 'node:fs';
import { c32address, c32checkEncode } from 'c32check';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { checkAddress } from '../../src/endpoints/address.ts';
import { decodeC32Check } from '../../src/endpoints/c32.ts';
import type { ConfigError } from '../../src/errors.ts';
import { refusal } from '../support/refusal.ts';

vi.mock('../../src/endpoints/c32.ts', { spy: true });

const real = readFileSync(new URL('../../examples/addresses.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const good = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';

const refusalOf = (text: unknown): ConfigError => refusal(() => checkAddress(text));

describe('an address is accepted', () => {
  test('when it is one of 300 real accounts and contracts', () => {
    expect(real).toHaveLength(300);
    for (const address of real) expect(checkAddress(address)).toBe(address);
  });

  test('whatever account of either network it names', () => {
    const hashes = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('hex'));
    fc.assert(
      fc.property(fc.constantFrom(20, 21, 22, 26), hashes, (version, hash) => {
        const address = c32address(version, hash);
        expect(checkAddress(address)).toBe(address);
      }),
    );
  });

  test('when it is the short address of the account without an owner', () => {
    expect(checkAddress('SP000000000000000000002Q6VF78.pox-4')).toBe('SP000000000000000000002Q6VF78.pox-4');
    expect(checkAddress('SM00000000000000000005VR75B2')).toHaveLength(28);
  });

  test('when its contract name has 128 characters, and no more', () => {
    const name = `a${'-_9Z'.repeat(32)}`.slice(0, 128);
    expect(checkAddress(`${good}.${name}`)).toBe(`${good}.${name}`);
    expect(refusalOf(`${good}.${name}x`).message).toMatch(
      /contract name of 129 characters, but at most 128 are right$/,
    );
  });

  test('without another look at its checksum, as long as it is among the last thousand', () => {
    const accounts = Array.from({ length: 1_001 }, (_, n) => c32address(22, (n + 1).toString(16).padStart(40, '0')));
    const looks = (address: string | undefined): number => {
      vi.mocked(decodeC32Check).mockClear();
      expect(checkAddress(address)).toBe(address);
      return vi.mocked(decodeC32Check).mock.calls.length;
    };
    expect(accounts.map(looks)).toEqual(accounts.map(() => 1));
    expect(looks(accounts[1])).toBe(0);
    expect(looks(`${accounts[1]}.contract`)).toBe(0);
    expect(looks(accounts[0])).toBe(1);
  });
});

describe('an address is refused, with what exactly is wrong with it,', () => {
  test.each<[string, unknown, string]>([
    ['when it is not text', 42, 'address must be the text of a Stacks address, not 42'],
    ['when it is missing', undefined, 'address must be the text of a Stacks address, not undefined'],
    [
      'when it only pretends to be text',
      { toString: () => good },
      'address must be the text of a Stacks address, not an object',
    ],
    ['when it is empty', '', 'address "" has no account: an address begins with SP, SM, ST or SN'],
    [
      'when it is an address of another chain',
      'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
      'address "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" begins with "bc", but an address begins with SP or SM (mainnet), ST or SN (testnet)',
    ],
    [
      'when it is in lower case',
      `SP${good.slice(2).toLowerCase()}`,
      `address "SP${good.slice(2).toLowerCase()}" has "f" at position 4, but an address has digits and capitals only, without I, L, O and U`,
    ],
    [
      'when it has an O for a 0, which the checksum alone would forgive',
      good.replace('0', 'O'),
      `address "${good.replace('0', 'O')}" has "O" at position 23, but an address has digits and capitals only, without I, L, O and U`,
    ],
    ['when it is too short', 'SP3FGQ8Z', 'address "SP3FGQ8Z" has 8 characters for the account, but 28 to 41 are right'],
    ['when it is too long', `${good}0`, `address "${good}0" has 42 characters for the account, but 28 to 41 are right`],
    [
      'when two characters are swapped',
      good.replace('GQ', 'QG'),
      `address "${good.replace('GQ', 'QG')}" fails its checksum: a character is wrong, missing or out of place`,
    ],
    ['when its contract has no name', `${good}.`, `address "${good}." has a dot, but no name of a contract after it`],
    [
      'when its contract name begins with a digit',
      `${good}.9lives`,
      `address "${good}.9lives" has "9" in its contract name, which is a letter, then letters, digits, "-" and "_"`,
    ],
    [
      'when its contract name has a dot',
      `${good}.a.b`,
      `address "${good}.a.b" has "." in its contract name, which is a letter, then letters, digits, "-" and "_"`,
    ],
  ])('%s', (_, text, message) => {
    const error = refusalOf(text);
    expect(error.message).toBe(message);
    expect(error.option).toBe('address');
  });

  test.each([
    '\t',
    '\n',
    ' ',
    '/',
    '\\',
    '?',
    '#',
    ';',
    '%2F',
    '%2e%2e',
    '..',
    '/../',
    '\u0000',
    '😀',
    '\u017f',
    '\u212a',
  ])('when %j is anywhere in it', (intruder) => {
    for (const text of [
      intruder,
      `${intruder}${good}`,
      `${good}${intruder}`,
      `${good.slice(0, 9)}${intruder}${good.slice(9)}`,
      `${good}.${intruder}`,
      `${good}.name${intruder}`,
    ]) {
      refusalOf(text);
    }
  });

  test('when any one character of it is another', () => {
    const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.constantFrom(...alphabet), (at, letter) => {
        fc.pre(good[at] !== letter);
        refusalOf(good.slice(0, at) + letter + good.slice(at + 1));
      }),
    );
  });

  test('when its checksum is true, but it names no account', () => {
    const text = `S${c32checkEncode(22, '5a'.repeat(19))}`;
    expect(refusalOf(text).message).toBe(`address "${text}" names 19 bytes, but an account is named by 20`);
  });

  test('in a line, however long it is', () => {
    for (const text of ['x'.repeat(10_000), `SP${'0'.repeat(10_000)}`, `${good}.${'a'.repeat(10_000)}`]) {
      expect(refusalOf(text).message.length).toBeLessThan(250);
    }
  });
});
