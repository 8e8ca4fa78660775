import { LongWaits, waitSentence } from '../delays.ts';
import type { Environment } from '../environment.ts';
import { barLines, count, number } from '../progress-bars.ts';
import { quotaBars } from '../quota/report.ts';
import { Picture, remarkLines, type Terminal, terminalOf } from '../terminal.ts';
import { span } from '../times.ts';
import type { Progress } from './tally.ts';

/** Interval between two drawings, in milliseconds. */
const DRAW_EVERY_MS = 200;

/** An outage, which consists of many short standstills, is reported at most as often as this, in milliseconds. */
const OUTAGE_EVERY_MS = 60_000;

/** Shows the progress of the job. */
export interface Screen {
  /** Called when the progress has changed. */
  show(): void;
  /** Shows the final state. */
  end(): Promise<void>;
}

/**
 * Creates a display that is redrawn in place on a terminal; elsewhere it prints a line for each tenth of the job, each long wait and each minute of an outage.
 *
 * @param hasResults - whether the results go to the same terminal: then no progress is shown.
 */
export function screenOn(
  { stderr, env, clock }: Pick<Environment, 'stderr' | 'env' | 'clock'>,
  hasResults: boolean,
  progress: () => Progress,
): Screen {
  if (hasResults) return { show() {}, async end() {} };
  return terminalOf(stderr, env).redraws ? pictureOn(stderr, env, clock, progress) : linesOn(stderr, clock, progress);
}

function pictureOn(
  stderr: Environment['stderr'],
  env: Environment['env'],
  clock: Environment['clock'],
  progress: () => Progress,
): Screen {
  const canvas = new Picture(stderr);
  const draw = (): Promise<void> => canvas.draw(pictureOf(progress(), terminalOf(stderr, env), clock.wall()));
  let cancel = (): void => {};
  const tick = (): void => {
    draw().catch(() => {});
    cancel = clock.timer(DRAW_EVERY_MS, tick);
  };
  tick();
  return {
    show() {},
    async end() {
      cancel();
      await draw();
    },
  };
}

function linesOn(stderr: Environment['stderr'], clock: Environment['clock'], progress: () => Progress): Screen {
  let tenths = 0;
  const waits = new LongWaits();
  let outageToldAt = -Infinity;
  const write = (line: string): void => void stderr.write(`${line}\n`).catch(() => {});
  return {
    show() {
      const now = clock.wall();
      const state = progress();
      const { total, done, failed, standstill } = state;
      const wait = standstill && waits.sentence(standstill.until, standstill.why, now);
      if (wait) write(wait);
      if (standstill?.isOutage && now >= outageToldAt + OUTAGE_EVERY_MS) {
        outageToldAt = now;
        write(`Waiting: ${standstill.why}.`);
      }
      const tenth = Math.floor(((done + failed) * 10) / total);
      if (tenth === tenths) return;
      tenths = tenth;
      write(sentence(state));
    },
    async end() {},
  };
}

/** The progress as lines. */
export function pictureOf(progress: Progress, terminal: Terminal, now: number): string[] {
  const { total, done, failed, inFlight, reading, standstill } = progress;
  const part = (done + failed) / total;
  const note = `${number(done)} of ${number(total)}`;
  const remark = percentAndEta(progress).join(', ');
  const state = [`${number(inFlight)} in flight`, ...outcomes(progress)].join(', ');
  const pause = standstill ? [waitSentence(standstill.until, standstill.why, now)] : [];
  return [
    ...barLines([{ label: 'done', part, note, remark, colour: 'cyan' }, ...quotaBars(reading)], terminal),
    ...[state, ...pause].flatMap((line) => remarkLines(line, terminal)),
  ];
}

function sentence(progress: Progress): string {
  const { total, done, reading } = progress;
  const windows = reading.windows.map((one) => `${one.window} ${number(one.remaining)}/${number(one.limit)}`);
  const counts = [`${number(done)} of ${number(total)}`, ...outcomes(progress)];
  return [...counts, ...windows, ...percentAndEta(progress).slice(1)].join(', ');
}

/** Refusals, which are to be 0, and failures, if there are any. */
function outcomes({ limited, failed }: Progress): string[] {
  return [`${number(limited)} refused`, ...(failed > 0 ? [`${number(failed)} failed`] : [])];
}

function percentAndEta({ total, done, failed, etaMs, standstill }: Progress): string[] {
  const percent = `${Math.floor(((done + failed) * 100) / total)} %`;
  // While the service is down nothing is known of the end.
  const isKnown = etaMs !== undefined && Number.isFinite(etaMs) && !standstill?.isOutage;
  return isKnown && etaMs >= 1_000 ? [percent, `${span(etaMs)} to go`] : [percent];
}

/** Summary of a job, in one line. */
export function summary({ done, total, requests, limited }: Progress, held: number, tookMs: number): string {
  const before = held > 0 ? ` (${number(held)} more before)` : '';
  return (
    `Fetched ${number(done)} of ${count(total, 'account')}${before} in ${(tookMs / 1_000).toFixed(1)} s: ` +
    `${count(requests, 'request')}, ${number(limited)} refused.`
  );
}
