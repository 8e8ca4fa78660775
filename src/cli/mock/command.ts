import { seeded } from '../../testing/latency.ts';
import { type ListeningService, listen } from '../../testing/listen.ts';
import type { MockHost } from '../../testing/network.ts';
import { createMockService } from '../../testing/service.ts';
import { accessOf } from '../access.ts';
import type { Command } from '../command.ts';
import type { Environment } from '../environment.ts';
import { EXIT } from '../exit.ts';
import { count } from '../progress-bars.ts';
import { instant } from '../times.ts';
import { plan } from './faults.ts';
import { readMockFlags } from './flags.ts';

const HELP = `Runs a mock of the service on a port of this machine. It counts, refuses and fails as the real one
is believed to.

  stacks-quota mock [flags]

  --port N             the port, on 127.0.0.1 only   (any free one)
  --limit P=N          N units per period, for all callers: second, minute, hour, day or month; may
                       be repeated; periods not named then have no limit
                       (20 a second, 500 a minute, 150000 a month; without a key 50 a minute)
  --keyless P=N        the same, for callers without a key only
  --window [P=]KIND    aligned, first-request, sliding-log, sliding-counter or leaky
                       (aligned: the UTC calendar)
  --charge WHEN        before, or after as some gateways do: costly and concurrent calls overshoot
  --count-refused      charge refused requests, too
  --cost [info=]N      units per request, of assets if no endpoint is named   (1)
  --head-cost N        units per HEAD request   (as much as the GET)
  --unknown-key HOW    401, 403 or keyless: treatment of an unknown key   (401)
  --limited-status N   429, 403 or 503: status of a refusal because of a limit   (429)
  --retry-after HOW    seconds, date, none, or a fixed number   (seconds)
  --reset STYLE        epoch-seconds, epoch-ms or seconds-left   (epoch-seconds)
  --latency MS         duration of an exchange: 50, or 20-200   (0)
  --skew TIME          lead of its clock; --skew=-13s is behind   (0)
  --nodes N            gateway nodes that take turns, each with its own counters   (1)
  --info N             200 or 404: status of /extended/v1/info   (200)
  --events N           events per account   (0 to 149, by the account)
  --fault KIND[=M]     a status such as 503; edge-503, which is not counted; reset, lost, hang,
                       truncate, slow-body or no-quota-headers: for all requests, for a part (=5%)
                       or for the next ones (=3); may be repeated
  --seed N             seed of the random latencies and faults
  --log                log each request on standard error
  --key-file FILE      a file with the key to accept   (STACKS_API_KEY, else "key-of-the-mock")

Its URL is the only line on standard output. Ctrl-C stops it.

  stacks-quota mock --port 4000 --limit second=5 --limit minute=100 --latency 20-200 --fault 503=5%
  STACKS_API_URL=http://127.0.0.1:4000 STACKS_API_KEY=key-of-the-mock stacks-quota quota --watch`;

const OWN_KEY = 'key-of-the-mock';

/** `stacks-quota mock`. */
export const mockCommand: Command = {
  help: HELP,
  async run(args, world, stop) {
    const { port, keyFile, seed, log, faults, service: options } = readMockFlags(args);
    const { apiKey = OWN_KEY } = await accessOf({ 'key-file': keyFile }, world);
    const random = seeded(seed);
    const service = createMockService({
      ...options,
      clock: world.clock,
      keys: [String(apiKey)],
      random,
      keepLog: false,
    });
    plan(service.faults, faults, random);
    const { origin, clock, exchange } = service;
    const host: MockHost = { origin, clock, exchange: log ? logged(exchange, world) : exchange };
    const open = await listen(host, port);
    try {
      await greet(open, apiKey === OWN_KEY, world);
      await endOf(stop);
      await world.stderr.write(`${count(service.requests, 'request')}, of which a limit refused ${service.limited}.\n`);
      return EXIT.ok;
    } finally {
      await open.close();
    }
  },
};

async function greet({ url }: ListeningService, hasOwnKey: boolean, { stdout, stderr }: Environment): Promise<void> {
  const key = hasOwnKey ? ` STACKS_API_KEY=${OWN_KEY}` : '';
  await stdout.write(`${url}\n`);
  await stderr.write(`Ctrl-C stops it. Try: STACKS_API_URL=${url}${key} stacks-quota quota\n`);
}

/** Logs each request when its response is sent or lost. */
function logged(exchange: MockHost['exchange'], { stderr, clock }: Environment): MockHost['exchange'] {
  const tell = (request: Parameters<MockHost['exchange']>[0], outcome: string): void => {
    const { method, url } = request;
    stderr.write(`${instant(clock.wall())} ${method} ${url.pathname}${url.search} ${outcome}\n`).catch(() => {});
  };
  return async (request) => {
    try {
      const answer = await exchange(request);
      const { status, tier, cost, limited } = answer;
      tell(request, `${status} ${tier}, ${limited ? 'refused' : count(cost, 'unit')}`);
      return answer;
    } catch (error) {
      tell(request, 'connection broken');
      throw error;
    }
  };
}

/** Resolves when the user ends the program, which is no failure here. */
function endOf(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve(), { once: true });
  });
}
