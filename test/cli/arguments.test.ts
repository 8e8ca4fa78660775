import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../support/deep.ts';
import { ACCOUNTS, KEY, worldOf } from './support/world.ts';

/** Words that mean something, words that nearly do, and anything else. */
const word = fc.oneof(
  fc.constantFrom(
    ...['--json', '--fail-under', '10%', '--fail-under=minute=5', '--all', '--limit', '7', '--offset', '--unanchored'],
    ...['--until-block', '0x12', '--max-wait', '5m', '--timeout', '0s', '--quiet', '--resume', '--force', '--', '-'],
    ...['--concurrency', '2', '--key', KEY, `--token=${KEY}`, '-h', '--from', '/none', '--every', '--url', ...ACCOUNTS],
  ),
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replaceAll('\0', '')),
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
