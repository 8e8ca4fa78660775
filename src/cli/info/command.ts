import { createClient, isServiceError } from '../../index.ts';
import { ACCESS_FLAGS, accessOf, maxWaitOf, timeoutOf, WAIT_FLAG } from '../access.ts';
import type { Command } from '../command.ts';
import { delaysTold } from '../delays.ts';
import { EXIT } from '../exit.ts';
import { type KnownFlags, noArguments, readFlags } from '../flags.ts';
import { writeErrors } from '../notices.ts';

const FLAGS = {
  json: { type: 'boolean', about: 'one line of JSON; else JSON with line breaks' },
  'max-wait': WAIT_FLAG,
  ...ACCESS_FLAGS,
} as const satisfies KnownFlags;

/** `stacks-quota info`. */
export const infoCommand: Command = {
  page: {
    usage: ['info [flags]'],
    about: `Shows what the service says of itself: the body of /extended/v1/info, as JSON.

The body is undocumented. Some services have no such page and answer 404; the quota can be read all the same:
stacks-quota quota`,
    flags: FLAGS,
    examples: ['stacks-quota info', 'stacks-quota info --json | jq .server_version'],
    exits: [
      ['0', 'shown'],
      ['1', 'another response, or none'],
      ['2', 'invalid flags'],
      ['4', 'the quota is exhausted for longer than --max-wait'],
      ['130', 'Ctrl-C'],
    ],
  },
  async run(args, world, stop) {
    const { values, positionals } = readFlags(args, FLAGS);
    noArguments('info', positionals);
    const client = createClient({
      ...(await accessOf(values, world)),
      timeoutMs: timeoutOf(values),
      maxWaitMs: maxWaitOf(values, FLAGS),
      onEvent: delaysTold(world),
    });
    try {
      const { data } = await client.getInfo({ signal: stop });
      await world.stdout.write(`${JSON.stringify(data, null, values.json ? undefined : 2)}\n`);
      return EXIT.ok;
    } catch (error) {
      if (!isServiceError(error) || error.status !== 404) throw error;
      await writeErrors([`${error.message}. The quota can be read all the same: stacks-quota quota`], world);
      return EXIT.failure;
    } finally {
      await client.close();
    }
  },
};
