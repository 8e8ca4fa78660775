import { createClient, isServiceError } from '../../index.ts';
import { ACCESS_FLAGS, ACCESS_HELP, accessOf } from '../access.ts';
import type { Command } from '../command.ts';
import { EXIT, UsageError } from '../exit.ts';
import { duration, readFlags } from '../flags.ts';

const HELP = `Shows what the service says of itself: the body of /extended/v1/info, as JSON.

  stacks-quota info [flags]

  --max-wait TIME    maximum time to wait for quota   (1m)
${ACCESS_HELP}

The body is undocumented. Some services have no such page and answer 404; the quota can be read all
the same: stacks-quota quota

Exit codes: 0 (shown), 1 (another response, or none), 2 (flags), 4 (quota exhausted for longer),
130 (Ctrl-C).`;

/** `stacks-quota info`. */
export const infoCommand: Command = {
  help: HELP,
  async run(args, world, stop) {
    const { values, positionals } = readFlags(args, { ...ACCESS_FLAGS, 'max-wait': { type: 'string' } } as const);
    if (positionals.length > 0) throw new UsageError('info takes no arguments, only flags.');
    const client = createClient({
      ...(await accessOf(values, world)),
      timeoutMs: duration('--timeout', values.timeout ?? '30s'),
      maxWaitMs: duration('--max-wait', values['max-wait'] ?? '1m'),
      fetch: world.fetch,
      clock: world.clock,
    });
    try {
      const { data } = await client.getInfo({ signal: stop });
      await world.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
      return EXIT.ok;
    } catch (error) {
      if (!isServiceError(error) || error.status !== 404) throw error;
      await world.stderr.write(`${error.message}. The quota can be read all the same: stacks-quota quota\n`);
      return EXIT.failure;
    } finally {
      await client.close();
    }
  },
};
