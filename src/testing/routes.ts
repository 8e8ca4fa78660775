import { assetsPage, infoPage } from './assets.ts';
import { type Page, problem } from './page.ts';

/** A request to the service. `headers` may be a `Headers` object. */
export interface ServiceRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: {
    /** The value of a header; names are case-insensitive. */
    get(name: string): string | null;
  };
}

/** Configuration of the pages. */
export interface Pages {
  readonly info: 200 | 404;
  readonly assetsOf: (address: string) => number;
}

/** `info`, `assets`, or another path. */
export type ServiceEndpoint = 'info' | 'assets' | (string & {});

const INFO = '/extended/v1/info';
const ASSETS = /^\/extended\/v1\/address\/([^/]+)\/assets$/;

/** Returns the endpoint of a path. */
export function endpointOf(path: string): ServiceEndpoint {
  if (path === INFO) return 'info';
  return ASSETS.test(path) ? 'assets' : path;
}

/** Returns the page at a path. Every page supports HEAD, too. */
export function pageAt({ method, url, headers }: ServiceRequest, pages: Pages): Page {
  if (method === 'GET' || method === 'HEAD') {
    if (url.pathname === INFO) return infoPage(pages.info);
    const principal = ASSETS.exec(url.pathname)?.[1];
    if (principal) {
      return assetsPage(decoded(principal), url.searchParams, headers.get('if-none-match'), pages.assetsOf);
    }
  }
  return problem(404, 'Not Found', `Route ${method}:${url.pathname} not found`);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
