import { joinBytes } from './bytes.ts';
import type { Cancellation } from './cancellation.ts';
import { Failure, failureOf } from './failure.ts';

/** The largest body that is read, in bytes after decompression: a small answer can inflate without bound. */
const LARGEST_BODY = 32 * 1024 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;
type Redact = (text: string) => string;

/** The body of an answer, if any. A custom `fetch` may have read it, or a part of it. */
export function unreadBody({ body, bodyUsed }: Response): Response['body'] {
  if (!bodyUsed && !body?.locked) return body;
  throw new Failure('INVALID_RESPONSE', new TypeError('fetch must return the body unread.'));
}

/** Cancels a body that will not be read, or its reader, which releases its connection. One of a custom `fetch` may lack the method, or fail. */
export async function cancel(body: Pick<ReadableStream, 'cancel'> | null | undefined, reason?: unknown): Promise<void> {
  try {
    await body?.cancel(reason);
  } catch {}
}

/** The whole body as text. */
export function readText(response: Response, cancellation: Cancellation, redact: Redact): Promise<string> {
  return read(response, cancellation, redact, joinText);
}

/** The whole body as bytes. */
export function readBytes(response: Response, cancellation: Cancellation, redact: Redact): Promise<Bytes> {
  return read(response, cancellation, redact, joinBytes);
}

/** Reads to the end. The size is checked while reading: `content-length` may be wrong, or that of the compressed body. */
async function read<T>(
  response: Response,
  cancellation: Cancellation,
  redact: Redact,
  join: (pieces: readonly Uint8Array[]) => T,
): Promise<T> {
  const { signal } = cancellation;
  let reader: BodyReader | undefined;
  try {
    const opened = unreadBody(response)?.getReader();
    reader = opened;
    return join(opened ? await cancellation.during(() => drained(opened, LARGEST_BODY)) : []);
  } catch (error) {
    void cancel(reader, signal.reason);
    throw signal.aborted ? signal.reason : failureOf(error, redact);
  }
}

type BodyReader = ReadableStreamDefaultReader<Bytes>;

/** All pieces of a body of at most so many bytes. */
export async function drained(reader: BodyReader, most: number = Infinity): Promise<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return pieces;
    // Text, which a stream of Node has with an encoding, would become zeros.
    if (!ArrayBuffer.isView(value)) throw new TypeError('A body must be a stream of bytes.');
    size += value.byteLength;
    if (size > most) throw new Failure('TOO_LARGE');
    pieces.push(value);
  }
}

/** Shared by all bodies: creating a decoder takes longer than decoding a small body. */
const DECODER = new TextDecoder();

/** The text of a whole body. */
function joinText(pieces: readonly Uint8Array[]): string {
  return DECODER.decode(pieces.length === 1 ? pieces[0] : joinBytes(pieces));
}
