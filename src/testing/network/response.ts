import type { Clock } from '../../clock.ts';
import type { ServiceAnswer } from '../answer.ts';
import type { BodyContent, HeaderLines } from '../routes/page.ts';
import { bodyCut } from './network-error.ts';
import { pause, unlessAborted } from './pause.ts';

/** Number of pieces of a slow body. */
export const SLOW_PIECES = 8;

/** Time between two pieces of a slow body, in milliseconds. */
export const SLOW_PIECE_MS = 1_000;

const BODYLESS = new Set([204, 205, 304]);
const encoder = new TextEncoder();

const bytesOf = (content: BodyContent): Uint8Array => (typeof content === 'string' ? encoder.encode(content) : content);

/** Creates a `Response` whose body fails with the signal's reason when it is read after an abort. */
export function responseFrom(answer: ServiceAnswer, clock: Clock, signal?: AbortSignal | null): Response {
  const { status, delivery } = answer;
  const content = BODYLESS.has(status) ? '' : answer.body();
  // Without content-length a parser in between, such as MSW's, cannot detect a truncated body.
  const length: HeaderLines = delivery === 'truncated' ? [['content-length', String(bytesOf(content).length)]] : [];
  const headers = [...answer.headers, ...length];
  const body = content.length === 0 ? null : bodyFrom(content, delivery, clock, signal);
  return new Response(body, { status, headers });
}

function bodyFrom(
  content: BodyContent,
  delivery: ServiceAnswer['delivery'],
  clock: Clock,
  signal: AbortSignal | null | undefined,
): string | ReadableStream<Uint8Array> {
  if (delivery === 'slow') return streamOf(slowly(content, clock, signal), signal);
  if (delivery === 'truncated') return streamOf(half(content), signal);
  return typeof content === 'string' && !signal ? content : streamOf([content], signal);
}

/** Splits a body into pieces of about equal length. */
export function pieces(content: BodyContent, count: number): BodyContent[] {
  const length = Math.ceil(content.length / count);
  const all = Array.from({ length: count }, (_, index) => content.slice(index * length, (index + 1) * length));
  return all.filter((piece) => piece.length > 0);
}

async function* slowly(
  content: BodyContent,
  clock: Clock,
  signal: AbortSignal | null | undefined,
): AsyncGenerator<BodyContent> {
  for (const piece of pieces(content, SLOW_PIECES)) {
    await unlessAborted(() => pause(clock, SLOW_PIECE_MS), signal);
    yield piece;
  }
}

function* half(content: BodyContent): Generator<BodyContent> {
  yield content.slice(0, content.length / 2);
  throw bodyCut();
}

/** Checks the signal at each read and adds no listeners, which would accumulate on a long-lived signal. */
function streamOf(
  parts: Iterable<BodyContent> | AsyncIterable<BodyContent>,
  signal: AbortSignal | null | undefined,
): ReadableStream<Uint8Array> {
  const source = Symbol.asyncIterator in parts ? parts[Symbol.asyncIterator]() : parts[Symbol.iterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        signal?.throwIfAborted();
        const { done, value } = await source.next();
        if (done) controller.close();
        else controller.enqueue(bytesOf(value));
      },
      async cancel() {
        await source.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
