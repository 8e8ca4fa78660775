import { ACCESS_FLAGS, ACCESS_HELP, accessOf } from '../access.ts';
import type { Command } from '../command.ts';
import type { Environment } from '../environment.ts';
import { UsageError } from '../exit.ts';
import { duration, readFlags } from '../flags.ts';
import { barLines } from '../progress-bars.ts';
import { paint, terminalOf } from '../terminal.ts';
import { checkReading } from './check-thresholds.ts';
import { type QuotaSight, quotaReader } from './quota-reader.ts';
import { quotaBars, quotaJson, remarks } from './report.ts';
import { readThreshold, type Threshold } from './threshold.ts';
import { watch } from './watch.ts';

const FLAGS = {
  ...ACCESS_FLAGS,
  watch: { type: 'boolean' },
  every: { type: 'string' },
  json: { type: 'boolean' },
  'fail-under': { type: 'string', multiple: true },
} as const;

const HELP = `Shows what remains of each window of the quota, the tightest window, and when each resets.

  stacks-quota quota [flags]

  --watch            repeat, redrawn in place on a terminal; Ctrl-C to stop
  --every TIME       interval between requests of --watch   (10s)
  --json             one line of JSON per reading
  --fail-under MIN   exit with 3 if less remains: 10% or 500 of every window but the second, or of
                     a named one, such as month=5000; may be repeated; ends --watch as soon as
                     it applies
${ACCESS_HELP}

It reads the headers of one response and shows its cost. The service does not say when a window
ends: "resets in" assumes the UTC calendar and the service's clock. While the quota is exhausted,
--watch sends nothing.

  stacks-quota quota --fail-under 10% && ./nightly-job
  stacks-quota quota --json | jq '.windows[] | select(.window == "month").remaining'

Exit codes: 0 (shown), 1 (no response, or one without quota headers), 2 (flags), 3 (--fail-under),
4 (quota exhausted), 130 (Ctrl-C, but 0 for --watch).`;

/** `stacks-quota quota`. */
export const quotaCommand: Command = {
  help: HELP,
  async run(args, world, stop) {
    const { values, positionals } = readFlags(args, FLAGS);
    if (positionals.length > 0) throw new UsageError('quota takes no arguments, only flags.');
    if (values.every !== undefined && !values.watch) throw new UsageError('--every requires --watch.');
    const options = {
      everyMs: duration('--every', values.every ?? '10s'),
      json: values.json ?? false,
      thresholds: (values['fail-under'] ?? []).map(readThreshold),
    };
    const timeoutMs = duration('--timeout', values.timeout ?? '30s');
    const reader = quotaReader({ ...(await accessOf(values, world)), timeoutMs }, world);
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
  sight: QuotaSight,
  { json, thresholds }: { readonly json: boolean; readonly thresholds: readonly Threshold[] },
  { stdout, stderr, env }: Environment,
): Promise<number> {
  const { reading, exhaustion } = sight;
  const { code, sentences, under } = checkReading(sight, thresholds);
  const terminal = terminalOf(stdout, env);
  if (json) await stdout.write(`${quotaJson(reading, exhaustion, under)}\n`);
  else if (reading.windows.length > 0) {
    const said = remarks(reading).map((line) => paint('dim', line, terminal));
    await stdout.write(`${[...barLines(quotaBars(reading), terminal), ...said].join('\n')}\n`);
  }
  if (sentences.length > 0) await stderr.write(`${sentences.join('\n')}\n`);
  return code;
}
