import { Failure } from './transport.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Where an answer sends the request, within its origin: the key never follows to another, and neither does the call. */
export function redirectOf(response: Response, url: URL): URL | undefined {
  const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
  if (location === null && response.type !== 'opaqueredirect') return undefined;
  const target = location !== null && URL.canParse(location, url) ? new URL(location, url) : undefined;
  if (target?.origin === url.origin) return target;
  drop(response);
  throw new Failure('REDIRECT', false);
}

/** A body that nobody will read must not hold its connection. */
export function drop(response: Response): void {
  response.body?.cancel().catch(() => {});
}
