import { adviceFor } from '../error-message.ts';
import { EXIT } from '../exit.ts';
import type { QuotaResult } from './quota-reader.ts';
import { checkThresholds, type Threshold } from './threshold.ts';

/** The result of a reading for scripts: exit code and reason. */
export interface CheckResult {
  readonly code: number;
  readonly sentences: readonly string[];
  /** Violated thresholds, one sentence each. */
  readonly under: readonly string[];
}

/** Checks a reading. An exhausted quota is reported first, then a missing window, which a script must not take for success. */
export function checkReading({ reading, exhaustion }: QuotaResult, thresholds: readonly Threshold[]): CheckResult {
  const { under, unknown } = checkThresholds(reading.windows, thresholds);
  const silence = reading.windows.length === 0 ? [silenceOf(reading.status)] : [];
  if (exhaustion) return { code: EXIT.exhausted, sentences: [exhaustion.sentence], under };
  if (silence.length > 0) return { code: EXIT.failure, sentences: silence, under };
  if (unknown.length > 0) return { code: EXIT.failure, sentences: unknown, under };
  return { code: under.length > 0 ? EXIT.underThreshold : EXIT.ok, sentences: under, under };
}

function silenceOf(status: number | undefined): string {
  return `The service answered ${status} without quota headers.${adviceFor(status)}`;
}
