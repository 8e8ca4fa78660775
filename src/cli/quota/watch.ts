import type { Environment } from '../environment.ts';
import { describeError } from '../error-message.ts';
import { EXIT, Interrupted } from '../exit.ts';
import { writeErrors } from '../notices.ts';
import { barLines } from '../progress-bars.ts';
import { sleep } from '../sleep.ts';
import { Picture, remarkLines, type Terminal, terminalOf } from '../terminal.ts';
import { span } from '../times.ts';
import { checkReading } from './check-reading.ts';
import type { QuotaReader, QuotaResult } from './quota-reader.ts';
import type { QuotaReading } from './reading.ts';
import { quotaBars, quotaJson, quotaSentence, remarks } from './report.ts';
import type { Threshold } from './threshold.ts';

/** Interval between two drawings, in milliseconds. Drawing sends no request. */
const DRAW_EVERY_MS = 1_000;

/** Settings of a watch. */
export interface WatchOptions {
  readonly everyMs: number;
  readonly json: boolean;
  readonly thresholds: readonly Threshold[];
}

/** What one reading gave: the quota, or why it could not be read. */
type Reading = { readonly quota: QuotaResult } | { readonly quota?: undefined; readonly trouble: string };

/** Reads the quota until the user ends the program or a threshold is violated. Sends nothing while the quota is exhausted. */
export async function watch(
  reader: QuotaReader,
  options: WatchOptions,
  world: Environment,
  stop: AbortSignal,
): Promise<number> {
  const { clock, stdout } = world;
  const screen = terminalOf(stdout, world.env).redraws && !options.json ? new Picture(stdout) : undefined;
  try {
    // A failure of the first reading ends the watch; a later one is only shown.
    let latest: Reading = { quota: await reader.read(stop) };
    for (let isFirst = true; ; isFirst = false) {
      const { quota } = latest;
      const result = quota && checkReading(quota, options.thresholds);
      if (!screen) await stdout.write(`${line(latest, result?.under ?? [], options)}\n`);
      const retryInMs = (quota?.exhaustion?.retryAt ?? 0) - clock.wall();
      const nextAt = clock.now() + Math.max(options.everyMs, retryInMs || 0);
      await screen?.draw(picture(reader.cached(), latest, nextAt, world));
      const { code = EXIT.ok, sentences = [] } = result ?? {};
      if (code === EXIT.underThreshold || (code === EXIT.failure && isFirst)) {
        await writeErrors(sentences, world);
        return code;
      }
      for (let left = nextAt - clock.now(); left > 0; left = nextAt - clock.now()) {
        await sleep(clock, screen ? Math.min(DRAW_EVERY_MS, left) : left, stop);
        await screen?.draw(picture(reader.cached(), latest, nextAt, world));
      }
      latest = await read(reader, world, stop);
    }
  } catch (error) {
    // The user ends a watch this way, so it is no failure.
    if (error instanceof Interrupted && error.interrupt === 'SIGINT') return EXIT.ok;
    throw error;
  }
}

async function read(reader: QuotaReader, { clock }: Environment, stop: AbortSignal): Promise<Reading> {
  try {
    return { quota: await reader.read(stop) };
  } catch (error) {
    stop.throwIfAborted();
    return { trouble: describeError(error, clock.wall()).sentences.join(' ') || String(error) };
  }
}

function line(latest: Reading, under: readonly string[], { json }: WatchOptions): string {
  const { quota } = latest;
  if (!quota) return json ? JSON.stringify({ error: latest.trouble }) : latest.trouble;
  const { reading, exhaustion } = quota;
  if (json) return quotaJson(reading, exhaustion, under);
  return `${quotaSentence(reading)}${exhaustion ? `: ${exhaustion.sentence}` : ''}`;
}

function picture(
  reading: QuotaReading,
  latest: Reading,
  nextAt: number,
  { stdout, env, clock }: Environment,
): string[] {
  const terminal: Terminal = terminalOf(stdout, env);
  const state = latest.quota ? latest.quota.exhaustion?.sentence : latest.trouble;
  const next = `Next request in ${span(nextAt - clock.now())}; Ctrl-C to stop.`;
  return [
    ...barLines(quotaBars(reading), terminal),
    ...(state === undefined ? [] : remarkLines(state, terminal, 'yellow')),
    ...[...remarks(reading), next].flatMap((line) => remarkLines(line, terminal)),
  ];
}
