import { duration, MEANINGS } from '../errors.ts';
import type { ClientEvent, EventListener } from '../events.ts';

/** Writes lines of a log: `console`, a logger of pino, or anything with these methods. */
export interface Logger {
  /** Every step of a call. */
  debug(...line: unknown[]): void;
  /** Waits of a second or more, and retries. */
  info(...line: unknown[]): void;
  /** Refusals, failures, and a quota or a key that needs attention. */
  warn(...line: unknown[]): void;
}

type Type = ClientEvent['type'];

/** An event of a type. */
type Of<T extends Type> = ClientEvent & { readonly type: T };

/** A shorter wait is logged as debug, in milliseconds. */
const WORTH_TELLING_MS = 1_000;

const LEVELS: Readonly<Record<Type, keyof Logger>> = {
  called: 'debug',
  waiting: 'info',
  sent: 'debug',
  answered: 'debug',
  limited: 'warn',
  deprecated: 'warn',
  'key-ignored': 'warn',
  low: 'warn',
  lost: 'warn',
  retrying: 'info',
  done: 'debug',
  failed: 'warn',
  'share-lost': 'warn',
  'share-regained': 'info',
};

const TEXTS: { readonly [T in Type]: (event: Of<T>) => string } = {
  called: () => 'called',
  waiting: (event) => `waits up to ${duration(waitOf(event))}: ${event.reason.why}`,
  sent: ({ url, waitedMs }) => `sent to ${withoutQuery(url)}, after ${Math.round(waitedMs)} ms`,
  answered: ({ status, tookMs }) => `answered with ${status} in ${Math.round(tookMs)} ms`,
  limited: ({ status }) => `refused because of a limit, with ${status}`,
  deprecated: ({ notice, sunset }) =>
    `is deprecated: ${notice}${sunset ? `, and ends on ${sunset.toISOString()}` : ''}`,
  'key-ignored': () => 'the service answers as if no API key had been sent',
  low: ({ window, remaining, limit }) => `the ${window} is low: ${remaining} of ${limit} units are left`,
  lost: ({ code, tookMs }) =>
    code === 'KEY_REFUSED'
      ? `not sent: ${MEANINGS.KEY_REFUSED}`
      : `no usable response (${code}) after ${Math.round(tookMs)} ms`,
  retrying: ({ attempt, afterMs }) => `attempt ${attempt} follows in ${duration(afterMs)}`,
  done: ({ status, tookMs }) => `done with ${status} after ${Math.round(tookMs)} ms`,
  failed: ({ error, code, why, retryAt, tookMs }) =>
    `ended with ${error} after ${Math.round(tookMs)} ms${code ? ` (${code})` : ''}${why ? `: ${why}` : ''}${retryAt ? `; retry at ${retryAt.toISOString()}` : ''}`,
  'share-lost': ({ code, mode }) => `the store of the shared quota cannot be used (${code}); going on as ${mode}`,
  'share-regained': ({ afterMs }) => `the store of the shared quota can be used again, after ${Math.round(afterMs)} ms`,
};

/**
 * Creates a listener that logs events: as text, and for a logger of pino with their fields before it. A line has no key, no
 * body and no query.
 */
export function logEvents(logger: Logger): EventListener {
  // Loggers of pino, also that of Fastify, take fields first; others take text.
  const takesFields = typeof (logger as { readonly bindings?: unknown }).bindings === 'function';
  let lastWait = '';
  return (event) => {
    let level = levelOf(event);
    // A call whose wait is prolonged emits its reason again, with other numbers: only the first is an info.
    if (event.type === 'waiting' && level === 'info') {
      const wait = `${event.call} ${event.reason.kind} ${event.reason.window}`;
      if (wait === lastWait) level = 'debug';
      else lastWait = wait;
    }
    const text = textOf(event);
    // Returned, because the delivery of events ignores the rejection of an asynchronous listener.
    return takesFields ? logger[level](fieldsOf(event), text) : logger[level](`stacks-quota: ${text}`);
  };
}

/** A logger that writes lines of every level to standard error, for `DEBUG=stacks-quota`. */
export const debugLogger: Logger = {
  debug: writeError,
  info: writeError,
  warn: writeError,
};

/** Whether a value of the environment variable `DEBUG` asks for the log, as for other packages: `stacks-quota`, `*`, `http,stacks-*`. */
export function isDebugged(variable: string | undefined): boolean {
  const names = (variable ?? '').split(/[\s,]+/).filter(Boolean);
  const fits = (name: string): boolean =>
    name.endsWith('*') ? 'stacks-quota'.startsWith(name.slice(0, -1).replace(/:$/, '')) : name === 'stacks-quota';
  return names.some(fits) && !names.some((name) => name.startsWith('-') && fits(name.slice(1)));
}

function writeError(line: unknown): void {
  console.error(`${new Date().toISOString()} ${line}`);
}

function levelOf(event: ClientEvent): keyof Logger {
  const isMinor =
    event.type === 'waiting' ? waitOf(event) < WORTH_TELLING_MS : 'error' in event && event.error === 'aborted';
  return isMinor ? 'debug' : LEVELS[event.type];
}

function textOf(event: ClientEvent): string {
  const text = (TEXTS[event.type] as (event: ClientEvent) => string)(event);
  if (!('call' in event)) return text;
  const { call, label, endpoint } = event;
  return `call ${call}${label === undefined ? '' : ` (${label})`} ${endpoint}: ${text}`;
}

/** The fields of an event that are small, and no secret. */
function fieldsOf(event: ClientEvent): object {
  const { at: _, quota: __, drift: ___, ...fields } = event as Of<'answered'>;
  return event.type === 'sent' ? { ...fields, url: withoutQuery(event.url) } : fields;
}

function waitOf({ until, at }: Of<'waiting'>): number {
  return until.getTime() - at.getTime();
}

function withoutQuery(url: string): string {
  return url.replace(/\?.*/, '');
}
