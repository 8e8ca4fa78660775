import type { Client } from '../client/client.ts';
import type { ClientEvent } from '../events.ts';
import type { Reason } from '../quota/admission.ts';
import { checkClient } from '../validation/arguments.ts';

/** Upper bounds of the histogram of waits, in seconds. */
const WAITS = [0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 120, 300];

type Labels = Readonly<Record<string, string>>;

/**
 * The content type of the text.
 *
 * @example
 * ```ts
 * const headers = { 'content-type': METRICS_TYPE };
 * ```
 */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Starts to count the client's events, and returns a function that returns the metrics for a scrape, in the text format of
 * Prometheus. It needs no package.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 *
 * const metrics = metricsOf(client);
 * createServer((_, response) => response.writeHead(200, { 'content-type': METRICS_TYPE }).end(metrics())).listen(9464);
 * ```
 *
 * @returns a function that returns the text. Units are quota units, waits are in seconds; no label has the key or a URL.
 */
export function metricsOf(client: Pick<Client, 'subscribe' | 'quota' | 'month'>): () => string {
  checkClient(client);
  const requests = new Counter('stacks_quota_requests_total', 'Answers, by endpoint and status.');
  const units = new Counter('stacks_quota_units_total', 'Units that the service counted, by endpoint.');
  const limited = new Counter('stacks_quota_limited_total', 'Answers that refused a request because of a limit.');
  const lost = new Counter('stacks_quota_lost_total', 'Requests without a usable answer, by what went wrong.');
  const failed = new Counter('stacks_quota_failed_calls_total', 'Calls that ended without an answer, by error.');
  const unexplained = new Counter(
    'stacks_quota_unexplained_units_total',
    'Units counted that this client did not spend.',
  );
  const waits = new Waits('stacks_quota_wait_seconds', 'Time queued before a request, by what it last waited for.');

  // Prometheus detects an increase only from a known value, so the most important counters begin at 0.
  limited.add(0, {});

  client.subscribe((event: ClientEvent) => {
    if (!('call' in event)) return;
    const { endpoint } = event;
    if (event.type === 'sent') waits.add(event.waitedMs / 1_000, { reason: nameOf(event.waitedFor) });
    if (event.type === 'limited') limited.add(1, {});
    if (event.type === 'lost') lost.add(1, { code: event.code });
    if (event.type === 'failed') failed.add(1, { error: event.error });
    if (event.type !== 'answered') return;
    requests.add(1, { endpoint, status: String(event.status) });
    units.add(event.quota.stacks.cost ?? 0, { endpoint });
    for (const [window, drift] of Object.entries(event.drift)) unexplained.add(Math.max(0, drift), { window });
  });

  return () => {
    const counted = [requests, units, limited, lost, failed, unexplained, waits].flatMap((metric) => metric.lines());
    return `${[...counted, ...gauges(client)].join('\n')}\n`;
  };
}

/** Gauges at the time of the scrape. */
function gauges(client: Pick<Client, 'quota' | 'month'>): string[] {
  const { windows, waiting, inFlight } = client.quota();
  const month = client.month();
  // Windows of single endpoints are omitted: they have the same name, so their samples would be duplicates.
  const named = windows.filter(({ window }) => window !== 'endpoint');
  const byWindow = (name: string, help: string, of: (view: (typeof named)[number]) => number): string[] => [
    ...headOf(name, help, 'gauge'),
    ...named.map((view) => line(name, { window: view.window }, of(view))),
  ];
  const single = (name: string, help: string, value: number | undefined): string[] =>
    value === undefined ? [] : [...headOf(name, help, 'gauge'), line(name, {}, value)];
  return [
    ...byWindow('stacks_quota_limit_units', 'Units that the window holds.', ({ limit }) => limit),
    ...byWindow('stacks_quota_remaining_units', 'Units left, by the service.', ({ remaining }) => remaining),
    ...byWindow('stacks_quota_headroom_units', 'Units that may be sent now.', ({ headroom }) => headroom),
    ...single('stacks_quota_calls_waiting', 'Calls that wait to be sent.', waiting),
    ...single('stacks_quota_requests_in_flight', 'Requests in flight.', inFlight),
    ...single('stacks_quota_month_units_per_day', 'Units a day at the present pace.', month?.perDay),
    ...single('stacks_quota_month_affordable_units_per_day', 'Units a day that would last.', month?.affordablePerDay),
  ];
}

function nameOf(reason: Reason | undefined): string {
  return reason ? (reason.window ?? reason.kind) : 'none';
}

/** A counter. */
class Counter {
  readonly #name: string;
  readonly #help: string;
  readonly #values = new Map<string, { readonly labels: Labels; value: number }>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  add(value: number, labels: Labels): void {
    const key = JSON.stringify(labels);
    const known = this.#values.get(key);
    if (known) known.value += value;
    else this.#values.set(key, { labels, value });
  }

  lines(): string[] {
    const values = [...this.#values.values()].map(({ labels, value }) => line(this.#name, labels, value));
    return [...headOf(this.#name, this.#help, 'counter'), ...values];
  }
}

/** A histogram of waits. */
class Waits {
  readonly #name: string;
  readonly #help: string;
  readonly #rows = new Map<
    string,
    { readonly labels: Labels; readonly counts: number[]; count: number; sum: number }
  >();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  add(seconds: number, labels: Labels): void {
    const key = JSON.stringify(labels);
    const row = this.#rows.get(key) ?? { labels, counts: WAITS.map(() => 0), count: 0, sum: 0 };
    this.#rows.set(key, row);
    for (const [place, bound] of WAITS.entries())
      if (seconds <= bound) row.counts[place] = (row.counts[place] ?? 0) + 1;
    row.count++;
    row.sum += seconds;
  }

  lines(): string[] {
    const rows = [...this.#rows.values()].flatMap(({ labels, counts, count, sum }) => [
      ...WAITS.map((bound, place) =>
        line(`${this.#name}_bucket`, { ...labels, le: String(bound) }, counts[place] ?? 0),
      ),
      line(`${this.#name}_bucket`, { ...labels, le: '+Inf' }, count),
      line(`${this.#name}_sum`, labels, sum),
      line(`${this.#name}_count`, labels, count),
    ]);
    return [...headOf(this.#name, this.#help, 'histogram'), ...rows];
  }
}

function headOf(name: string, help: string, type: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function line(name: string, labels: Labels, value: number): string {
  const quoted = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${quoted.length > 0 ? `{${quoted.join(',')}}` : ''} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
