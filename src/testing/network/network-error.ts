/** The error of `fetch`, worded as in undici, if there is no response. */
export function networkError(message: string, code?: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), code && { code }) });
}

const lost = new WeakSet<Error>();

/** The error of a connection that broke before the response. */
export function connectionLost(): TypeError {
  const error = networkError('read ECONNRESET', 'ECONNRESET');
  lost.add(error);
  return error;
}

/** Whether an error is from {@link connectionLost}, as opposed to a mistake in the caller's options. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof Error && lost.has(error);
}

/** The error of reading a body, worded as in undici, if the connection breaks meanwhile. */
export function bodyCut(): TypeError {
  return new TypeError('terminated', {
    cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
  });
}
