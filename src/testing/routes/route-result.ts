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
  if (ArrayBuffer.isView(result)) return page(200, 'application/octet-stream', bytesOf(result));
  // Serialised here and not when it is read, so that the handler may change the value afterwards.
  const text = JSON.stringify(result);
  return { ...json(200, undefined), body: () => text };
}

/** Reads a copy, because a handler may return the same `Response` each time. */
async function responsePage(response: Response): Promise<Page> {
  const { status, headers } = response;
  const bytes = new Uint8Array(await response.clone().arrayBuffer());
  return { status, headers: [...headers], body: () => bytes };
}

function failure(error: unknown): Page {
  return problem(500, 'Internal Server Error', (error as Error | undefined)?.message ?? String(error));
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function isThenable(value: unknown): boolean {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
}

/** Whether a value is a `Response`, be it of another realm or of a polyfill. */
function isResponse(value: unknown): value is Response {
  const { status, arrayBuffer } = (value ?? {}) as Partial<Response>;
  return typeof status === 'number' && typeof arrayBuffer === 'function';
}
