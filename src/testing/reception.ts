import { answerOf, type ServiceAnswer } from './answer.ts';
import { applyFault, edgePage, type ServiceFault } from './faults.ts';
import { Gateway, type Ruling } from './gateway.ts';
import type { Identities, Identity } from './limits/identities.ts';
import { RequestLog } from './log.ts';
import type { Page } from './routes/page.ts';
import type { ServiceRequest } from './routes/request.ts';
import type { ServiceSettings } from './settings.ts';

/** Receives requests as the service does: lets the edge or the gateway answer each, and logs what the gateway received. */
export class Reception {
  readonly gateway: Gateway;
  readonly log: RequestLog;
  /** The lead of the service's clock over its time without skew, in milliseconds. */
  skewMs: number;
  readonly #settings: ServiceSettings;
  /** The service's clock starts at the wall time of `clock` and is independent of it afterwards. */
  readonly #epoch: number;
  #turns = 0;

  constructor(identities: Identities, settings: ServiceSettings) {
    this.gateway = new Gateway(identities, settings);
    this.log = new RequestLog(settings.logSize);
    this.skewMs = settings.skewMs;
    this.#settings = settings;
    this.#epoch = settings.clock.wall() - settings.clock.now();
  }

  /** The service's own clock, in milliseconds since the Unix epoch. */
  get time(): number {
    return this.#epoch + this.skewMs + this.#settings.clock.now();
  }

  /** The response to a request that arrives now. */
  receive(request: ServiceRequest, sentAt: number, fault?: ServiceFault): ServiceAnswer | Promise<ServiceAnswer> {
    const edge = edgePage(fault, request.url);
    if (edge) return answerOf(this.#unseen(request), edge);
    const serviceTime = this.time;
    const arrived = this.gateway.receive(request, serviceTime, this.#nextNode(), fault === 'store down');
    const { tier: key, endpoint, limited, cost } = arrived;
    const { method, url } = request;
    this.log.count(limited);
    const noteStatus = this.log.add({
      at: sentAt,
      arrivedAt: this.#settings.clock.now(),
      path: url.pathname + url.search,
      serviceTime,
      method,
      key,
      endpoint,
      limited,
      cost,
    });
    const finish = (page: Page): ServiceAnswer => {
      const answered = applyFault(answerOf(arrived, page), fault);
      noteStatus(answered.status);
      return method === 'HEAD' ? { ...answered, body: () => '' } : answered;
    };
    const page = arrived.page();
    return page instanceof Promise ? page.then(finish) : finish(page);
  }

  /** Uses units of a consumer without a request. */
  spend(units: number, identity: Identity): void {
    this.gateway.spend(units, identity, this.time, this.#nextNode());
  }

  /** A request that the edge answers, so that the gateway does not receive it. */
  #unseen(request: ServiceRequest): Ruling {
    const { endpoint } = this.#settings.routes.find(request);
    const tier = request.headers.get('x-api-key') === null ? 'keyless' : 'keyed';
    return { endpoint, tier, limited: false, cost: 0, leave: () => {} };
  }

  #nextNode(): number {
    return this.#turns++ % this.#settings.nodes;
  }
}
