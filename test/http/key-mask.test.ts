import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyMask } from '../../src/http/key-mask.ts';

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

function masked(pieces: readonly string[], ...secrets: string[]): string {
  const mask = new KeyMask(secrets);
  const out = [...pieces.map((piece) => mask.piece(bytes(piece))), mask.end()];
  return out.map((piece) => new TextDecoder().decode(piece)).join('');
}

describe('a mask', () => {
  it('replaces each key by as many asterisks', () => {
    const text = 'a secret, a secret, a secret and another';
    expect(masked([text], 'secret', 'other')).toBe('a ******, a ******, a ****** and an*****');
  });

  it('replaces the whole of a key that begins with another, however the body is cut', () => {
    const text = 'secret-2, secret, secret-2';
    for (let cut = 0; cut <= text.length; cut++) {
      const pieces = [text.slice(0, cut), text.slice(cut)];
      expect(masked(pieces, 'secret', 'secret-2')).toBe('********, ******, ********');
    }
  });

  it('passes on no part of a key that overlaps with the beginning of another', () => {
    expect(masked(['bcd', 'y'], 'cdx', 'bc')).toBe('**dy');
    expect(masked(['bcd', 'x'], 'cdx', 'bc')).toBe('b***');
  });

  it('finds a key that begins again within itself', () => {
    expect(masked(['aab', 'aabaac'], 'aabaac')).toBe('aab******');
  });

  it('leaves everything else as it is, byte for byte, and at once', () => {
    const mask = new KeyMask(['secret']);
    const piece = new Uint8Array([0, 255, 115, 101, 10, 200]);
    expect(mask.piece(piece)).toEqual(piece);
    expect(mask.end()).toHaveLength(0);
  });

  it('keeps back only what may be the beginning of a key', () => {
    const mask = new KeyMask(['secret']);
    expect(new TextDecoder().decode(mask.piece(bytes('the sec')))).toBe('the ');
    expect(new TextDecoder().decode(mask.end())).toBe('sec');
  });

  it('does not write into the bytes that it was given', () => {
    const given = bytes('secret');
    new KeyMask(['secret']).piece(given);
    expect(new TextDecoder().decode(given)).toBe('secret');
  });

  it('finds keys however the body is cut', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 30 });
    fc.assert(
      fc.property(letters, fc.array(fc.nat(30), { maxLength: 6 }), (text, cuts) => {
        const places = [0, ...cuts.filter((cut) => cut <= text.length).sort((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
        expect(masked(pieces, 'abba')).toBe(text.replaceAll('abba', '****'));
      }),
    );
  });
});
