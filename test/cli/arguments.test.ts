import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../support/deep.ts';
import { ACCOUNTS, KEY, worldOf } from './support/world.ts';

/** Any code point but half of a surrogate pair, as of `unit: 'binary'`, which makes a map of all 1,112,064 of them first: most of the time of this test. */
const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800), codeOf);

function codeOf(letter: unknown): number {
  const code = typeof letter === 'string' ? letter.codePointAt(0) : undefined;
  if (code === undefined || String.fromCodePoint(code) !== letter) throw new Error('no code point');
  return code < 0xd800 ? code : code - 0x800;
}

/** Words that mean something, words that nearly do, and anything else. */
const word = fc.oneof(
  fc.constantFrom(
    ...['--json', '--fail-under', '10%', '--fail-under=minute=5', '--all', '--limit', '7', '--offset', '--unanchored'],
    ...['--until-block', '0x12', '--max-wait', '5m', '--timeout', '0s', '--quiet', '--resume', '--force', '--', '-'],
    ...['--concurrency', '2', '--key', KEY, `--token=${KEY}`, '-h', '--from', '/none', '--every', '--url', ...ACCOUNTS],
  ),
  fc.string({ unit: codePoint, maxLength: 12 }).map((text) => text.replaceAll('\0', '')),
);

it('whatever is asked of it, the program ends with a code that the help names, and with a sentence if it is no success', async () => {
  const command = fc.constantFrom('quota', 'info', 'assets');
  await fc.assert(
    fc.asyncProperty(command, fc.array(word, { maxLength: 6 }), async (name, words) => {
      fc.pre(!words.some((text) => /^--(watch|out|key-file)/.test(text)));
      const world = worldOf({ stdin: ACCOUNTS.join('\n') });
      const code = await world.run(name, ...words);
      expect([0, 1, 2, 3, 4]).toContain(code);
      if (code !== 0) expect(world.stderr.text).toMatch(/\S+.*\n$/);
      expect(world.stderr.text).not.toContain('Something is wrong in stacks-quota itself');
      if (code === 2) expect(world.service.requests).toBe(0);
      expect(world.stderr.text).not.toContain(KEY);
    }),
    { numRuns: runs(60, 300) },
  );
});
