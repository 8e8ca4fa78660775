import { createClient, isConfigError } from '../../index.ts';
import { createProxy } from '../../proxy/index.ts';
import { accessOf } from '../access.ts';
import type { Command } from '../command.ts';
import type { Environment } from '../environment.ts';
import { EXIT, UsageError, untilStopped } from '../exit.ts';
import type { HelpPage } from '../help-page.ts';
import { writeNotices, writeWarning } from '../notices.ts';
import { PROXY_FLAGS, type ProxyFlags, readProxyFlags } from './flags.ts';
import type { JoinedShare } from './redis.ts';

const PAGE: HelpPage = {
  usage: ['proxy [flags]'],
  about: `Paces the requests of any program, in any language: use the URL of the proxy in place of that of the service. The proxy
adds the key, waits for quota, retries, and answers with the service's answer.

Headers of a request, all optional: x-quota-priority (higher goes first), x-quota-cost (units), x-quota-max-wait-ms,
x-quota-max-queue-ms, x-quota-timeout-ms. Below /-/ the proxy shows itself: /-/ is a page to look at, /-/quota and /-/queue are JSON, /-/metrics is for
Prometheus, /-/healthz for probes.

Its URL is the only line on standard output. Ctrl-C stops it: calls that wait get 503, those in flight finish.`,
  flags: PROXY_FLAGS,
  examples: ['stacks-quota proxy &', 'curl http://localhost:3999/extended/v1/info'],
  exits: [
    ['0', 'stopped by Ctrl-C, or otherwise from outside'],
    ['1', 'the port cannot be opened'],
    ['2', 'invalid flags'],
  ],
};

/** `stacks-quota proxy`. */
export const proxyCommand: Command = {
  page: PAGE,
  async run(args, world, stop) {
    const { access, port, host, token, share, ...options } = await readProxyFlags(args, world.env);
    const joined = share && (await joinShare(share));
    try {
      const client = createClient({
        ...options,
        ...(await accessOf(access, world)),
        ...(joined && { share: joined.share }),
        onEvent(event) {
          if (event.type === 'share-lost')
            writeWarning(`the share is lost (${event.code}), and the proxy goes on without it.`, world);
          if (event.type === 'share-regained') writeWarning('the share is back.', world);
        },
      });
      try {
        const proxy = createProxy(client, { token, clock: world.clock });
        const { url, close } = await proxy.listen({ port, host });
        await greet(url, world);
        await untilStopped(stop);
        await Promise.all([client.close(), close()]);
        return EXIT.ok;
      } finally {
        await client.close();
      }
    } finally {
      await joined?.close();
    }
  },
};

async function joinShare({ redis, name }: NonNullable<ProxyFlags['share']>): Promise<JoinedShare> {
  try {
    if (redis !== undefined) return await (await import('./redis.ts')).connectShare(redis, name);
    const { localShare } = await import('../../local/index.ts');
    return { share: localShare({ name }), close: async () => {} };
  } catch (error) {
    if (isConfigError(error) && error.option === 'name') throw new UsageError(`--${error.message}.`);
    throw error;
  }
}

async function greet(url: string, world: Environment): Promise<void> {
  await world.stdout.write(`${url}\n`);
  await writeNotices([`Ctrl-C stops it. To watch it: ${url}/-/`], world);
}
