import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import { isConfigError } from '../errors.ts';
import { optionProblem, readCallHeaders } from './call-headers.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import { Problem, sendProblem } from './problem.ts';

/** A body of at most so many bytes is read into memory, so that it can be sent again after a refusal; a larger one is streamed. */
const LARGEST_HELD = 64 * 1_024;

/** Sends a request through the client, and its answer to the caller. Never rejects. */
export type Forward = (incoming: IncomingMessage, outgoing: ServerResponse, path: string) => Promise<void>;

/** Creates a function that forwards requests through a client. */
export function createForward(client: Pick<Client, 'fetchWith'>, hasToken: boolean): Forward {
  const pseudonym = `stacks-quota-${crypto.randomUUID().slice(0, 8)}`;
  return async (incoming, outgoing, path) => {
    const hangUp = new AbortController();
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) hangUp.abort(new Error('The caller has hung up.'));
    });
    try {
      const { method = 'GET' } = incoming;
      const options = readCallHeaders(incoming.headers);
      const headers = requestHeaders(incoming, hasToken, pseudonym);
      const body = await bodyOf(incoming, headers);
      const fetch = client.fetchWith({ ...options, maskKey: true, streamBody: body instanceof ReadableStream });
      const response = await fetch(path, {
        method,
        headers,
        redirect: 'manual',
        signal: hangUp.signal,
        ...(body && { body, duplex: 'half' }),
      });
      await send(response, path, outgoing, hangUp.signal);
    } catch (error) {
      if (!hangUp.signal.aborted) sendProblem(outgoing, isConfigError(error) ? optionProblem(error) : error);
    }
  };
}

/** The body of a request, if it has one. */
async function bodyOf(incoming: IncomingMessage, headers: Record<string, string>): Promise<BodyInit | undefined> {
  const { method, headers: stated } = incoming;
  const length = stated['content-length'];
  if (stated['transfer-encoding'] === undefined && (length === undefined || Number(length) === 0)) return undefined;
  if (method === 'GET' || method === 'HEAD') {
    throw new Problem(400, 'request', `A ${method} request must not have a body.`);
  }
  if (incoming.readableDidRead) {
    throw new Problem(500, 'internal', 'The body was read before the proxy: call its handler before a body parser.');
  }
  if (Number(length) <= LARGEST_HELD) return new Uint8Array(await buffer(incoming));
  if (length !== undefined) headers['content-length'] = length;
  return streamOf(incoming);
}

/**
 * A body in pieces, as they come. A service may answer before the end of the body, as with a 413, and close the connection; the piece
 * after the one that then fails would fail the request, so all that has arrived is read between two pieces.
 */
function streamOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array> = incoming.iterator({ destroyOnReturn: false });
  return new ReadableStream(
    {
      async pull(controller) {
        // The first may come in the turn in which the last piece was written.
        await turn();
        await turn();
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await pieces.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

async function send(response: Response, path: string, outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
  const { status, statusText, headers, body } = response;
  const { socket } = outgoing;
  const reader = body?.getReader();
  let read = await reader?.read();
  // Only now: a body that breaks off before its first piece has an answer of the proxy.
  outgoing.sendDate = !headers.has('date');
  outgoing.writeHead(status, statusText, responseHeaders(response, path, read?.value));
  while (reader && !read?.done) {
    // The end of a body that came with this piece is sent along with it.
    socket?.cork();
    setImmediate(() => socket?.uncork());
    // A slow caller slows the service down.
    if (!outgoing.write(read?.value)) await once(outgoing, 'drain', { signal });
    read = await reader.read();
  }
  outgoing.end();
}
