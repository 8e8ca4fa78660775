import { type FamilyReading, gatewayHeaders, httpDate } from './headers.ts';
import { type Decision, rule } from './limits/decision.ts';
import type { Identities, Identity, Tier } from './limits/identities.ts';
import type { ServiceLimits, WindowUsage } from './limits/ledger.ts';
import type { CostQuestion } from './options.ts';
import { refusalPage, unknownKeyPage } from './refusals.ts';
import type { HeaderLines, Page } from './routes/page.ts';
import type { ServiceRequest } from './routes/request.ts';
import type { ServiceEndpoint } from './routes/routes.ts';
import type { Family, ServiceSettings } from './settings.ts';

/** What the gateway decides about a request when it arrives. */
export interface Ruling {
  readonly endpoint: ServiceEndpoint;
  readonly tier: Tier;
  /** Whether a limit refused the request. */
  readonly limited: boolean;
  /** Cost of the request in units, whether it was charged or not. */
  readonly cost: number;
  /** Must be called when the response is sent: with `charge: 'after'` usage is booked then. */
  readonly leave: () => void;
}

/** A request that has arrived: the decision, the gateway's headers, and the page behind them. */
export interface Arrived extends Ruling {
  readonly headers: HeaderLines;
  readonly page: () => Page | Promise<Page>;
}

/** The state of all limits that a request counts in. */
interface Counted extends Decision {
  readonly families: readonly FamilyReading[];
  readonly ceiling: WindowUsage | undefined;
}

/** The gateway in front of the routes: it knows the keys, counts, refuses, and adds its headers. */
export class Gateway {
  readonly #identities: Identities;
  readonly #settings: ServiceSettings;
  #families: readonly Family[];
  #ceilings: ServiceSettings['ceilings'];

  constructor(identities: Identities, settings: ServiceSettings) {
    this.#identities = identities;
    this.#settings = settings;
    this.#families = settings.families;
    this.#ceilings = settings.ceilings;
  }

  /** Changes limits: of the first family by tier, and of endpoints. Usage is kept, and what is omitted is unchanged. */
  setLimits(limits: { readonly [T in Tier]: ServiceLimits | undefined }, ceilings?: ServiceSettings['ceilings']): void {
    const [first, ...others] = this.#families;
    // Copies: ledgers detect changed limits by identity, and the caller may change its object in place.
    const { keyless, keyed } = structuredClone(limits);
    if (first)
      this.#families = [{ ...first, keyless: keyless ?? first.keyless, keyed: keyed ?? first.keyed }, ...others];
    this.#ceilings = ceilings ?? this.#ceilings;
  }

  /** Uses units of the first family, as a request would that costs them. */
  spend(units: number, identity: Identity, at: number, node: number): void {
    const [first] = this.#families;
    if (first) this.#identities.ledgerOf(identity, node, first.name, first[identity.tier]).charge(units, at);
  }

  /**
   * Receives a request at `at` by the service's clock, in milliseconds since the Unix epoch. While its store is down the gateway
   * neither counts nor refuses.
   */
  receive(request: ServiceRequest, at: number, node: number, isStoreDown: boolean): Arrived {
    const settings = this.#settings;
    const { endpoint, page } = settings.routes.find(request);
    const served = this.#servedAs(request.headers.get('x-api-key'));
    const limitedAs = served ?? (settings.headers.unknownKey ? this.#identities.keyless : undefined);
    const question = { method: request.method, endpoint, url: request.url };
    const counted = isStoreDown || !limitedAs ? undefined : this.#count(limitedAs, question, at, node);
    const { refusedUntil, families = [], ceiling, leave = () => {} } = counted ?? {};
    const limited = refusedUntil !== undefined;
    const retryAfter = limited ? this.#retryAfter(refusedUntil, at) : undefined;
    const statement = { at, families, ceiling, limited, retryAfter };
    const pageBehind = served ? page : () => unknownKeyPage(settings.unknownKey);
    return {
      endpoint,
      tier: limitedAs?.tier ?? 'keyed',
      limited,
      cost: families.find(({ name }) => name === this.#families[0]?.name)?.cost ?? 0,
      leave,
      headers: gatewayHeaders(statement, settings.headers, settings.reset),
      page: limited ? () => refusalPage(settings.limited) : pageBehind,
    };
  }

  /** The consumer that a request with this key is served as; `undefined` if it is not served. */
  #servedAs(key: string | null): Identity | undefined {
    const { keyless } = this.#identities;
    if (key === null) return keyless;
    return this.#identities.withKey(key) ?? (this.#settings.unknownKey === 'keyless' ? keyless : undefined);
  }

  /** Decides by the limits of all families that the request counts in, and of its endpoint, which counts requests and not units. */
  #count(identity: Identity, question: CostQuestion, at: number, node: number): Counted {
    const { endpoint } = question;
    const ledgerOf = (name: string, limits: ServiceLimits) => this.#identities.ledgerOf(identity, node, name, limits);
    const claims = this.#families.flatMap((family) => {
      const units = family.costOf(question);
      return units === undefined
        ? []
        : [{ name: family.name, ledger: ledgerOf(family.name, family[identity.tier]), units }];
    });
    const limits = this.#ceilings[endpoint];
    const ceiling = limits ? [{ ledger: ledgerOf(`ceiling of ${endpoint}`, limits), units: 1 }] : [];
    const decision = rule([...claims, ...ceiling], at, this.#settings);
    return {
      ...decision,
      families: claims.map(({ name, units }, index) => ({ name, cost: units, windows: decision.windows[index] ?? [] })),
      ceiling: decision.windows[claims.length]?.[0],
    };
  }

  #retryAfter(until: number, at: number): string | undefined {
    const { retryAfter } = this.#settings.limited;
    if (typeof retryAfter === 'function') return retryAfter();
    if (retryAfter === 'none') return undefined;
    if (retryAfter === 'seconds') return String(Math.ceil((until - at) / 1_000));
    return retryAfter === 'date' ? httpDate(Math.ceil(until / 1_000) * 1_000) : String(retryAfter);
  }
}
