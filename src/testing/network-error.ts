/** What `fetch` rejects with, in undici's words, when no answer comes. */
export function networkError(message: string, code?: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), code && { code }) });
}

const lost = new WeakSet<Error>();

/** The connection broke before an answer came. */
export function connectionLost(): TypeError {
  const error = networkError('read ECONNRESET', 'ECONNRESET');
  lost.add(error);
  return error;
}

/** Whether this came from {@link connectionLost}, and not from a mistake in somebody's options. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof Error && lost.has(error);
}

/** What reading a body fails with, in undici's words, when the connection breaks on the way. */
export function bodyCut(): TypeError {
  return new TypeError('terminated', {
    cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
  });
}
