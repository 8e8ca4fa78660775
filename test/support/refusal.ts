import { inspect } from 'node:util';
import { type ConfigError, isConfigError } from '../../src/errors.ts';

/** The `ConfigError` with which some work is refused. Another error is thrown on. */
export function refusal(work: () => unknown): ConfigError {
  let given: unknown;
  try {
    given = work();
  } catch (error) {
    if (isConfigError(error)) return error;
    throw error;
  }
  throw new Error(`was accepted: ${inspect(given).slice(0, 80)}`);
}
