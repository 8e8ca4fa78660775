import { ACCESS_FLAGS, accessOf, timeoutOf } from '../access.ts';
import type { Command } from '../command.ts';
import { delaysTold } from '../delays.ts';
import type { Environment } from '../environment.ts';
import { UsageError } from '../exit.ts';
import { duration, type KnownFlags, noArguments, readFlags } from '../flags.ts';
import type { HelpPage } from '../help-page.ts';
import { writeErrors } from '../notices.ts';
import { barLines } from '../progress-bars.ts';
import { remarkLines, terminalOf } from '../terminal.ts';
import { checkReading } from './check-reading.ts';
import { type QuotaResult, quotaReader } from './quota-reader.ts';
import { quotaBars, quotaJson, remarks } from './report.ts';
import { readThreshold, type Threshold } from './threshold.ts';
import { watch } from './watch.ts';

const FLAGS = {
  watch: { type: 'boolean', about: 'repeat, redrawn in place on a terminal; Ctrl-C to stop' },
  every: { type: 'string', value: 'TIME', about: 'interval between requests of --watch', fallback: '10s' },
  json: { type: 'boolean', about: 'one line of JSON per reading' },
  'fail-under': {
    type: 'string',
    multiple: true,
    value: 'MIN',
    about:
      'exit with 3 if less remains: 10% or 500 of every window but the second, or of a named one, such as month=5000; ' +
      'may be repeated; ends --watch as soon as it applies',
  },
  ...ACCESS_FLAGS,
} as const satisfies KnownFlags;

const PAGE: HelpPage = {
  usage: ['quota [flags]'],
  about: `Shows what remains of each window of the quota, the tightest window, and when each resets.

It reads the headers of one response and shows its cost. The service does not say when a window ends: "resets in"
assumes the UTC calendar and the service's clock. While the quota is exhausted, --watch sends nothing.`,
  flags: FLAGS,
  examples: [
    'stacks-quota quota --watch',
    'stacks-quota quota --fail-under 10% && ./nightly-job',
    `stacks-quota quota --json |\n    jq '.windows[] | select(.window == "month").remaining'`,
  ],
  exits: [
    ['0', 'shown'],
    ['1', 'no response, or one without quota headers'],
    ['2', 'invalid flags'],
    ['3', 'less remains than --fail-under demands'],
    ['4', 'the quota is exhausted'],
    ['130', 'Ctrl-C, but 0 for --watch'],
  ],
};

/** `stacks-quota quota`. */
export const quotaCommand: Command = {
  page: PAGE,
  async run(args, world, stop) {
    const { values, positionals } = readFlags(args, FLAGS);
    noArguments('quota', positionals);
    if (values.every !== undefined && !values.watch) throw new UsageError('--every requires --watch.');
    const options = {
      everyMs: duration('--every', values.every ?? FLAGS.every.fallback),
      json: values.json ?? false,
      thresholds: (values['fail-under'] ?? []).map(readThreshold),
    };
    const timeoutMs = timeoutOf(values);
    const onEvent = delaysTold(world);
    const reader = quotaReader({ ...(await accessOf(values, world)), timeoutMs, onEvent }, world.clock);
    try {
      return values.watch
        ? await watch(reader, options, world, stop)
        : await once(await reader.read(stop), options, world);
    } finally {
      await reader.close();
    }
  },
};

async function once(
  quota: QuotaResult,
  { json, thresholds }: { readonly json: boolean; readonly thresholds: readonly Threshold[] },
  world: Environment,
): Promise<number> {
  const { stdout, env } = world;
  const { reading, exhaustion } = quota;
  const { code, sentences, under } = checkReading(quota, thresholds);
  const terminal = terminalOf(stdout, env);
  if (json) await stdout.write(`${quotaJson(reading, exhaustion, under)}\n`);
  else if (reading.windows.length > 0) {
    const said = remarks(reading).flatMap((line) => remarkLines(line, terminal));
    await stdout.write(`${[...barLines(quotaBars(reading), terminal), ...said].join('\n')}\n`);
  }
  await writeErrors(sentences, world);
  return code;
}
