import { assetsPage, infoPage } from './assets.ts';
import { type Page, problem } from './page.ts';

/** What an entry point of the service hands in. A `Headers` object will do for `headers`. */
export interface ServiceRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: {
    /** The value of a header, whatever the case of its name. */
    get(name: string): string | null;
  };
}

/** What the pages depend on. */
export interface Pages {
  readonly info: 200 | 404;
  readonly assetsOf: (address: string) => number;
}

/** `info`, `assets`, or the path of anything else. */
export type ServiceEndpoint = 'info' | 'assets' | (string & {});

const INFO = '/extended/v1/info';
const ASSETS = /^\/extended\/v1\/address\/([^/]+)\/assets$/;

/** Which endpoint a path belongs to. */
export function endpointOf(path: string): ServiceEndpoint {
  if (path === INFO) return 'info';
  return ASSETS.test(path) ? 'assets' : path;
}

/** What is to be found at an address. Every page answers HEAD as well. */
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
