import { didYouMean } from '../known-names.ts';
import { shown } from '../rules.ts';
import { type Page, problem } from './page.ts';
import { type RouteName, type RouteRequest, routeRequest, type ServiceRequest } from './request.ts';
import { pageOf } from './route-result.ts';

/** `info`, `assets`, the name of a route, or the path of a request that no route has. */
export type ServiceEndpoint = 'info' | 'assets' | (string & {});

/**
 * Answers the requests of a route. It returns a value, which is sent as JSON; text or bytes, which are sent as they are; `undefined`
 * for a 204; a `Response`, for another status or further headers; or a promise of one of these. What it throws is answered by a 500.
 */
export type RouteHandler<Route extends string = RouteName> = (request: RouteRequest<Route>) => unknown;

/** A route of the service itself, which needs no promise. */
export interface OwnRoute {
  readonly name: RouteName;
  readonly endpoint: ServiceEndpoint;
  readonly page: (request: RouteRequest) => Page;
}

interface Route {
  readonly endpoint: ServiceEndpoint;
  readonly method: string;
  readonly shape: string;
  readonly pattern: RegExp;
  readonly placeholders: readonly string[];
  readonly page: (request: RouteRequest) => Page | Promise<Page>;
}

/** The endpoint of a request, and its page. */
export interface RoutedRequest {
  readonly endpoint: ServiceEndpoint;
  readonly page: () => Page | Promise<Page>;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const NAME = /^([A-Z]+) (\/[^\s?#]*)$/;
const PLACEHOLDER = /\{([^{}]+)\}/g;
/** Stands for each placeholder in a shape, and sorts behind every character of a path. */
const ANY = '\uffff';

/** The routes of the service: its own, and those of the option `routes`, which take precedence. */
export class Routes {
  readonly #routes: readonly Route[];

  constructor(own: readonly OwnRoute[], added: Readonly<Record<string, RouteHandler | undefined>>) {
    const theirs = Object.entries(added).flatMap(([name, handle]) =>
      handle === undefined ? [] : [routeOf(name, pageBy(name, handle))],
    );
    for (const [nth, { method, shape, endpoint }] of theirs.entries()) {
      const twin = theirs.slice(0, nth).find((route) => route.method === method && route.shape === shape);
      if (twin) throw new Error(`The routes ${twin.endpoint} and ${endpoint} answer the same requests.`);
    }
    const ours = own.map(({ name, endpoint, page }) => ({ ...routeOf(name, page), endpoint }));
    const endpointOf = ({ method, shape, endpoint }: Route): ServiceEndpoint =>
      ours.find((route) => route.method === method && route.shape === shape)?.endpoint ?? endpoint;
    // Fixed segments take precedence over placeholders. The sort is stable, so that of equal shapes the added one is found.
    this.#routes = [...theirs.map((route) => ({ ...route, endpoint: endpointOf(route) })), ...ours].sort(
      (one, other) => (one.shape < other.shape ? -1 : Number(one.shape > other.shape)),
    );
  }

  /** The endpoints that have a route. */
  get endpoints(): readonly ServiceEndpoint[] {
    return this.#routes.map(({ endpoint }) => endpoint);
  }

  /** Finds the route of a request. */
  find(request: ServiceRequest): RoutedRequest {
    const { method, url } = request;
    const found = this.#routeOf(method, url.pathname);
    if (!found) return { endpoint: url.pathname, page: () => this.#noRoute(request) };
    const { endpoint, page } = found;
    return { endpoint, page: () => page(routeRequest(request, paramsOf(found, url.pathname))) };
  }

  #routeOf(method: string, path: string): Route | undefined {
    const serves = (accepted: string) => (route: Route) => route.method === accepted && route.pattern.test(path);
    const found = this.#routes.find(serves(method));
    return found || method !== 'HEAD' ? found : this.#routes.find(serves('GET'));
  }

  #noRoute({ method, url: { pathname } }: ServiceRequest): Page {
    const others = this.#routes.filter(({ pattern }) => pattern.test(pathname)).map((route) => route.method);
    if (others.length === 0) return problem(404, 'Not Found', `Route ${method}:${pathname} not found`);
    const allowed = others.join(', ');
    return problem(405, 'Method Not Allowed', `${pathname} has a route for ${allowed}, not for ${method}`, [
      ['allow', allowed],
    ]);
  }
}

/** Makes pages by the handler of a route. */
function pageBy(name: string, handle: RouteHandler): Route['page'] {
  if (typeof handle === 'function') return (request) => pageOf(() => handle(request));
  throw new Error(`The route ${name} must be a function of a request, not ${shown(handle)}.`);
}

function routeOf(name: string, page: Route['page']): Route {
  const [, method, template] = NAME.exec(name) ?? [];
  if (method === undefined || template === undefined) {
    throw new Error(
      `The name of a route must be a method and a path, such as "GET /extended/v2/blocks/{height}", not "${name}".`,
    );
  }
  if (!METHODS.includes(method)) {
    const known = `it may be ${METHODS.join(', ')}.${didYouMean(method, METHODS)}`;
    throw new Error(`The route ${name} has the method ${method}: ${known}`);
  }
  if (/[{}]/.test(template.replace(PLACEHOLDER, ''))) {
    throw new Error(`The route ${name} must have a name in each pair of braces, such as {height}.`);
  }
  const placeholders = Array.from(template.matchAll(PLACEHOLDER), ([, placeholder = '']) => placeholder);
  const twice = placeholders.find((one, nth) => placeholders.indexOf(one) < nth);
  if (twice !== undefined) {
    throw new Error(`The route ${name} has {${twice}} twice: each placeholder must have a name of its own.`);
  }
  // As URLs write them.
  const texts = template.split(/\{[^{}]+\}/).map((text) => text.replace(/[^\x21-\x7e]+/g, encodeURIComponent));
  const fixed = texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`^${fixed.join('([^/]+)')}$`);
  return { endpoint: name, method, shape: template.replace(PLACEHOLDER, ANY), pattern, placeholders, page };
}

function paramsOf({ pattern, placeholders }: Route, path: string): Record<string, string> {
  const [, ...values] = pattern.exec(path) ?? [];
  return Object.fromEntries(placeholders.map((name, index) => [name, decoded(values[index] ?? '')]));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
