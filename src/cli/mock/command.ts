import {
  createMockService,
  type ListeningService,
  type MockService,
  type MockServiceOptions,
  seeded,
} from '../../testing/index.ts';
import { accessOf } from '../access.ts';
import type { Command } from '../command.ts';
import type { Environment } from '../environment.ts';
import { EXIT, UsageError, untilStopped } from '../exit.ts';
import type { HelpPage } from '../help-page.ts';
import { writeNotices } from '../notices.ts';
import { count } from '../progress-bars.ts';
import { instant } from '../times.ts';
import { plan } from './faults.ts';
import { MOCK_FLAGS, readMockFlags } from './flags.ts';
import { readRoutes } from './routes.ts';

const PAGE: HelpPage = {
  usage: ['mock [flags]'],
  about: `Runs a mock of the service on a port of this machine. It counts, refuses and fails as the real one is believed to.

Its URL is the only line on standard output. Ctrl-C stops it.`,
  flags: MOCK_FLAGS,
  examples: [
    'stacks-quota mock --port 4000 --limit second=5 --limit minute=100',
    'stacks-quota mock --latency 20-200 --fault edge-522=5%',
    'stacks-quota mock --routes routes.json --cost "GET /v2/info=5"',
    'STACKS_API_URL=http://127.0.0.1:4000 STACKS_API_KEY=key-of-the-mock \\\n    stacks-quota quota --watch',
  ],
  exits: [
    ['0', 'stopped by Ctrl-C, or otherwise from outside'],
    ['1', 'the port cannot be opened'],
    ['2', 'invalid flags'],
  ],
};

const OWN_KEY = 'key-of-the-mock';

/** `stacks-quota mock`. */
export const mockCommand: Command = {
  page: PAGE,
  async run(args, world, stop) {
    const { port, keyFile, routes, seed, log, faults, service: options } = readMockFlags(args);
    const { apiKey } = await accessOf({ 'key-file': keyFile }, world);
    const random = seeded(seed);
    const service = created({
      ...options,
      routes: routes === undefined ? undefined : await readRoutes(routes),
      clock: world.clock,
      keys: [String(apiKey ?? OWN_KEY)],
      random,
      keepLog: false,
    });
    plan(service.faults, faults, random);
    const { exchange } = service;
    const open = await service.listen({ port, exchange: log ? logged(exchange, world) : exchange });
    try {
      await greet(open, apiKey === undefined, world);
      await untilStopped(stop);
      await writeNotices(
        [`${count(service.requests, 'request')}, of which a limit refused ${service.limited}.`],
        world,
      );
      return EXIT.ok;
    } finally {
      await open.close();
    }
  },
};

/** Creates the service. What it says against its options concerns flags. */
function created(options: MockServiceOptions): MockService {
  try {
    return createMockService(options);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function greet({ url }: ListeningService, hasOwnKey: boolean, world: Environment): Promise<void> {
  const key = hasOwnKey ? ` STACKS_API_KEY=${OWN_KEY}` : '';
  await world.stdout.write(`${url}\n`);
  await writeNotices([`Ctrl-C stops it. Try: STACKS_API_URL=${url}${key} stacks-quota quota`], world);
}

/** Logs each request when its response is sent or lost. */
function logged(exchange: MockService['exchange'], { stderr, clock }: Environment): MockService['exchange'] {
  const tell = (request: Parameters<MockService['exchange']>[0], outcome: string): void => {
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
