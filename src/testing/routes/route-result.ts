import { empty, json, type Page, page, problem } from './page.ts';

/** Calls a handler. What it throws is answered like an exception of the application: by a 500 with the message. */
export function pageOf(handle: () => unknown): Page | Promise<Page> {
  try {
    const result = handle();
    return isThenable(result) || isResponse(result) ? pageLater(result) : pageNow(result);
  } catch (error) {
    return failure(error);
  }
}

async function pageLater(pending: unknown): Promise<Page> {
  try {
    const result = await pending;
    return isResponse(result) ? await responsePage(result) : pageNow(result);
  } catch (error) {
    return failure(error);
  }
}

function pageNow(result: unknown): Page {
  if (result === undefined) return empty(204);
  if (typeof result === 'string') return page(200, 'text/plain; charset=utf-8', result);
  const bytes = bytesOf(result);
  if (bytes) return page(200, 'application/octet-stream', bytes);
  // Serialised here and not when it is read, so that the handler may change the value afterwards.
  const text = JSON.stringify(result);
  if (text === undefined) throw new Error(`A ${typeof result} is nothing that a handler may return`);
  return { ...json(200, undefined), body: () => text };
}

/** Headers of the connection on which a response came. */
const OF_THE_CONNECTION: readonly string[] = ['connection', 'keep-alive', 'transfer-encoding'];

/** Reads a copy, because a handler may return the same `Response` each time. */
async function responsePage(response: Response): Promise<Page> {
  const { status, url, type } = response;
  if (type === 'error')
    throw new Error(
      "Response.error() is nothing that a handler may return: service.faults.next(1, 'reset') breaks a connection",
    );
  const bytes = new Uint8Array(await response.clone().arrayBuffer());
  const left = [...OF_THE_CONNECTION];
  // The length is added again where it is needed. Without a body, as of HEAD, it is that of another response.
  if (bytes.byteLength > 0) left.push('content-length');
  // One that `fetch` received has a URL, and its body is decoded.
  if (url) left.push('content-encoding');
  const headers = [...response.headers].filter(([name]) => !left.includes(name));
  return { status, headers, body: () => bytes };
}

function failure(error: unknown): Page {
  return problem(500, 'Internal Server Error', (error as Error | undefined)?.message ?? String(error));
}

/** The bytes of a view, or of a buffer, which may be of another realm, as in Jest. */
function bytesOf(result: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(result)) return new Uint8Array(result.buffer, result.byteOffset, result.byteLength);
  return Object.prototype.toString.call(result) === '[object ArrayBuffer]'
    ? new Uint8Array(result as ArrayBuffer)
    : undefined;
}

function isThenable(value: unknown): boolean {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
}

/** Whether a value is a `Response`, be it of another realm or of a polyfill. */
function isResponse(value: unknown): value is Response {
  const { status, arrayBuffer } = (value ?? {}) as Partial<Response>;
  return typeof status === 'number' && typeof arrayBuffer === 'function';
}
