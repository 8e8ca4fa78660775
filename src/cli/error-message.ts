import {
  isConfigError,
  isConnectionError,
  isQuotaExhausted,
  isResponseShape,
  isServiceError,
  type QuotaExhaustedError,
} from '../index.ts';
import { BrokenPipeError } from './environment.ts';
import { EXIT, GaveUpError, Interrupted, UsageError } from './exit.ts';
import { moment } from './times.ts';

/** Exit code and message for an error. */
export interface ErrorDescription {
  readonly code: number;
  /** Lines for people; none if there is nothing to report. */
  readonly sentences: readonly string[];
}

/** The client's options and the flags that set them. */
const FLAGS: Readonly<Record<string, string>> = {
  baseUrl: '--url (or STACKS_API_URL)',
  apiKey: 'the key',
  host: '--listen',
  token: '--token-file (or STACKS_PROXY_TOKEN)',
  timeoutMs: '--timeout',
  maxWaitMs: '--max-wait',
  concurrency: '--concurrency',
  limit: '--limit',
  offset: '--offset',
  untilBlock: '--until-block',
};

/** Error codes of a machine without such a service, or an unreachable one. */
const UNREACHABLE: readonly string[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/**
 * Exit code and message for an error.
 *
 * @param now - the present, in milliseconds since the Unix epoch, for phrases such as "in 4 min".
 */
export function describeError(error: unknown, now: number): ErrorDescription {
  if (error instanceof BrokenPipeError) return { code: EXIT.SIGPIPE, sentences: [] };
  if (error instanceof Interrupted) return { code: EXIT[error.interrupt], sentences: [] };
  if (isQuotaExhausted(error)) return { code: EXIT.exhausted, sentences: [exhaustion(error, now)] };
  if (error instanceof UsageError) return { code: EXIT.usage, sentences: error.message.split('\n') };
  if (isConfigError(error)) return { code: EXIT.usage, sentences: [`${inFlags(error.option, error.message)}.`] };
  return { code: EXIT.failure, sentences: [failure(error)] };
}

/** Why the quota is exhausted, and when to retry. */
export function exhaustion({ why, retryAt, retryAfterMs }: QuotaExhaustedError, now: number): string {
  const sentence = `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
  return Number.isFinite(retryAfterMs) ? `${sentence} Retry at ${moment(retryAt.getTime(), now)}.` : sentence;
}

function failure(error: unknown): string {
  if (error instanceof GaveUpError) return error.message;
  if (isServiceError(error)) return oneLine(`${error.message}.${adviceFor(error.status)}`);
  if (isConnectionError(error) && UNREACHABLE.includes(String(error.code))) {
    return oneLine(`${error.message}. Check the URL of the service: --url or STACKS_API_URL.`);
  }
  const isExpected =
    isConnectionError(error) || isResponseShape(error) || (error instanceof Error && 'syscall' in error);
  if (isExpected) return oneLine(`${error.message.replace('timeoutMs', '--timeout')}.`);
  // Any other error is a bug of this program; its stack is needed to fix it.
  return `This is a bug in stacks-quota: ${error instanceof Error ? error.stack : String(error)}`;
}

/** What a user is to do about a response with this status, to be read after a sentence. */
export function adviceFor(status: number | undefined): string {
  return isKeyRefusal(status) ? ' Check the key.' : '';
}

/** Whether a status may say that the key is refused. */
export function isKeyRefusal(status: number | undefined): boolean {
  return status === 401 || status === 403;
}

function inFlags(option: string, message: string): string {
  const name = FLAGS[option];
  const own = name && message.startsWith(option) ? `${name}${message.slice(option.length)}` : message;
  return oneLine(own.replace('(apiKey)', '').replace(/ +,/, ','));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replace(/\.\.$/, '.');
}
