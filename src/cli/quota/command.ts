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

const HELP = `Shows what is left of each window of the quota, which is nearest to its end, and when it is back.

  stacks-quota quota [flags]

  --watch            look again and again, drawn in place on a terminal; Ctrl-C ends it
  --every TIME       how often a watch asks the service   (10s)
  --json             a line of JSON for each look
  --fail-under MIN   end with 3 if less is left: 10% or 500 of every window but the second, or of
                     one that is named, such as month=5000; may be given again; a watch ends as
                     soon as it is so
${ACCESS_HELP}

It reads the headers of one answer, and says what that cost. The service does not say when a window
ends: "back in" goes by the UTC calendar and the service's clock. While the quota is out, a watch
asks nobody.

  stacks-quota quota --fail-under 10% && ./nightly-job
  stacks-quota quota --json | jq '.windows[] | select(.window == "month").remaining'

Ends with 0 (seen), 1 (no answer, or it says nothing of a quota), 2 (flags), 3 (under --fail-under),
4 (the quota is out), 130 (Ctrl-C, but 0 for a watch).`;

/** `stacks-quota quota`. */
export const quotaCommand: Command = {
  help: HELP,
  async run(args, world, stop) {
    const { values, positionals } = readFlags(args, FLAGS);
    if (positionals.length > 0) throw new UsageError('quota asks for no account: it takes flags only.');
    if (values.every !== undefined && !values.watch)
      throw new UsageError('--every is about --watch, which is not there.');
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
