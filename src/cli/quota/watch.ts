import type { Environment } from '../environment.ts';
import { describeError } from '../error-message.ts';
import { EXIT, Interrupted } from '../exit.ts';
import { writeErrors } from '../notices.ts';
import { barLines } from '../progress-bars.ts';
import { sleep } from '../sleep.ts';
import { Picture, remarkLines, type Terminal, terminalOf } from '../terminal.ts';
import { span } from '../times.ts';
import { checkReading } from './check-thresholds.ts';
import type { QuotaReader, QuotaSight } from './quota-reader.ts';
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

/** Reads the quota until the user ends the program or a threshold is violated. Sends nothing while the quota is exhausted. */
export async function watch(
  reader: QuotaReader,
  options: WatchOptions,
  world: Environment,
  stop: AbortSignal,
): Promise<number> {
  const { clock, stdout } = world;
  const screen = terminalOf(stdout, world.env).redraws && !options.json ? new Picture(stdout) : undefined;
  let isFirst = true;
  try {
    for (;;) {
      let sight: QuotaSight | undefined;
      let trouble: string | undefined;
      try {
        sight = await reader.read(stop);
      } catch (error) {
        stop.throwIfAborted();
        // A failure of the first reading ends the watch; a later one is only shown.
        if (isFirst) throw error;
        trouble = describeError(error, clock.wall()).sentences.join(' ') || String(error);
      }
      const result = sight && checkReading(sight, options.thresholds);
      if (!screen) await stdout.write(`${line(sight, trouble, result?.under ?? [], options)}\n`);
      const retryInMs = (sight?.exhaustion?.retryAt ?? 0) - clock.wall();
      const nextAt = clock.now() + Math.max(options.everyMs, retryInMs || 0);
      if (screen) await screen.draw(picture(reader, sight, trouble, nextAt, world));
      const { code = EXIT.ok, sentences = [] } = result ?? {};
      if (code === EXIT.underThreshold || (code === EXIT.failure && isFirst)) {
        await writeErrors(sentences, world);
        return code;
      }
      isFirst = false;
      for (let left = nextAt - clock.now(); left > 0; left = nextAt - clock.now()) {
        await sleep(clock, screen ? Math.min(DRAW_EVERY_MS, left) : left, stop);
        if (screen) await screen.draw(picture(reader, sight, trouble, nextAt, world));
      }
    }
  } catch (error) {
    // The user ends a watch this way, so it is no failure.
    if (error instanceof Interrupted && error.interrupt === 'SIGINT') return EXIT.ok;
    throw error;
  }
}

function line(
  sight: QuotaSight | undefined,
  trouble: string | undefined,
  under: readonly string[],
  { json }: WatchOptions,
): string {
  if (!sight) return json ? JSON.stringify({ error: trouble }) : String(trouble);
  if (json) return quotaJson(sight.reading, sight.exhaustion, under);
  return `${quotaSentence(sight.reading)}${sight.exhaustion ? `: ${sight.exhaustion.sentence}` : ''}`;
}

function picture(
  reader: QuotaReader,
  sight: QuotaSight | undefined,
  trouble: string | undefined,
  nextAt: number,
  { stdout, env, clock }: Environment,
): string[] {
  const terminal: Terminal = terminalOf(stdout, env);
  const reading = reader.cached();
  const state = trouble ?? sight?.exhaustion?.sentence;
  const next = `Next request in ${span(nextAt - clock.now())}; Ctrl-C to stop.`;
  return [
    ...barLines(quotaBars(reading), terminal),
    ...(state === undefined ? [] : remarkLines(state, terminal, 'yellow')),
    ...[...remarks(reading), next].flatMap((line) => remarkLines(line, terminal)),
  ];
}
