import { number } from './bar.ts';

/** Result of the job. */
export interface Outcome {
  /** Number of calls to make. */
  readonly total: number;
  readonly fetched: number;
  /** Total number of asset events of the accounts. */
  readonly events: number;
  readonly failures: readonly unknown[];
  readonly requests: number;
  readonly limited: number;
  readonly tookMs: number;
  /** Shortest time in which the limits allow these calls, in milliseconds; undefined if no limits are known. */
  readonly shortestMs: number | undefined;
  /** Whether Ctrl-C ended it. */
  readonly isInterrupted: boolean;
}

/** The result as lines of text. */
export function report(outcome: Outcome): string {
  const { total, fetched, events, failures, requests, limited, tookMs, shortestMs, isInterrupted } = outcome;
  const unmade = total - fetched - failures.length;
  const lines = [
    `fetched    ${fetched} of ${total} accounts, with ${number(events)} asset events`,
    `requests   ${requests}, of which the service refused ${limited} because of a limit`,
    `duration   ${seconds(tookMs)}`,
    shortestMs === undefined
      ? 'shortest   unknown: the service named no limits'
      : `shortest   ${seconds(shortestMs)}: the least that the limits allow, if answers take no time`,
  ];
  if (failures.length > 0) lines.push(`failed     ${failures.length}, the first with: ${sentenceOf(failures[0])}`);
  if (unmade > 0) lines.push(`not made   ${unmade}, because of ${isInterrupted ? 'Ctrl-C' : 'that'}`);
  return lines.join('\n');
}

/** An error in one line. */
export function sentenceOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ');
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
