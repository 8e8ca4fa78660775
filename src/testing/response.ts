import type { Clock } from '../clock.ts';
import type { ServiceAnswer } from './gateway.ts';
import { bodyCut } from './network-error.ts';
import type { HeaderLines } from './page.ts';
import { pause, unlessAborted } from './pause.ts';

/** Number of pieces of a slow body. */
export const SLOW_PIECES = 8;

/** Time between two pieces of a slow body, in milliseconds. */
export const SLOW_PIECE_MS = 1_000;

const BODYLESS = new Set([204, 205, 304]);
const encoder = new TextEncoder();

/** Creates a `Response` whose body fails with the signal's reason when it is read after an abort. */
export function responseFrom(answer: ServiceAnswer, clock: Clock, signal?: AbortSignal | null): Response {
  const { status, delivery } = answer;
  const text = BODYLESS.has(status) ? '' : answer.body();
  // Without content-length a parser in between, such as MSW's, cannot detect a truncated body.
  const length: HeaderLines = delivery === 'truncated' ? [['content-length', String(encoder.encode(text).length)]] : [];
  const headers = [...answer.headers, ...length];
  return new Response(text === '' ? null : bodyFrom(text, delivery, clock, signal), { status, headers });
}

function bodyFrom(
  text: string,
  delivery: ServiceAnswer['delivery'],
  clock: Clock,
  signal: AbortSignal | null | undefined,
): string | ReadableStream<Uint8Array> {
  if (delivery === 'slow') return streamOf(slowly(text, clock, signal), signal);
  if (delivery === 'truncated') return streamOf(half(text), signal);
  return signal ? streamOf([text], signal) : text;
}

/** Splits text into pieces of about equal length. */
export function pieces(text: string, count: number): string[] {
  const length = Math.ceil(text.length / count);
  return Array.from({ length: count }, (_, index) => text.slice(index * length, (index + 1) * length)).filter(Boolean);
}

async function* slowly(text: string, clock: Clock, signal: AbortSignal | null | undefined): AsyncGenerator<string> {
  for (const piece of pieces(text, SLOW_PIECES)) {
    await unlessAborted(() => pause(clock, SLOW_PIECE_MS), signal);
    yield piece;
  }
}

function* half(text: string): Generator<string> {
  yield text.slice(0, text.length / 2);
  throw bodyCut();
}

/** Checks the signal at each read and adds no listeners, which would accumulate on a long-lived signal. */
function streamOf(
  parts: Iterable<string> | AsyncIterable<string>,
  signal: AbortSignal | null | undefined,
): ReadableStream<Uint8Array> {
  const source = Symbol.asyncIterator in parts ? parts[Symbol.asyncIterator]() : parts[Symbol.iterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        signal?.throwIfAborted();
        const { done, value } = await source.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        await source.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
