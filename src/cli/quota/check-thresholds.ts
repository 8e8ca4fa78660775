import { EXIT } from '../exit.ts';
import type { QuotaSight } from './quota-reader.ts';
import { checkThresholds, type Threshold } from './threshold.ts';

/** What a look means to a script: what the program ends with, and why. */
export interface CheckResult {
  readonly code: number;
  readonly sentences: readonly string[];
  /** What is under a threshold, a sentence each. */
  readonly under: readonly string[];
}

/** Judges a look. An exhausted quota comes first, then what cannot be told, because a script must not take it for well. */
export function checkReading({ reading, exhaustion }: QuotaSight, thresholds: readonly Threshold[]): CheckResult {
  const { under, unknown } = checkThresholds(reading.windows, thresholds);
  const silence = reading.windows.length === 0 ? [silenceOf(reading.status)] : [];
  if (exhaustion) return { code: EXIT.exhausted, sentences: [exhaustion.sentence], under };
  if (silence.length > 0) return { code: EXIT.failure, sentences: silence, under };
  if (unknown.length > 0) return { code: EXIT.failure, sentences: unknown, under };
  return { code: under.length > 0 ? EXIT.underThreshold : EXIT.ok, sentences: under, under };
}

function silenceOf(status: number | undefined): string {
  const hint = status === 401 || status === 403 ? ' Check the key.' : '';
  return `The service answered ${status} without quota headers.${hint}`;
}
