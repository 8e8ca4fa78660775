import { createClient } from '../../index.ts';
import { ACCESS_HELP, accessOf } from '../access.ts';
import type { Command } from '../command.ts';
import { BrokenPipeError, type Environment } from '../environment.ts';
import { describeError } from '../error-message.ts';
import { EXIT, unlessStopped } from '../exit.ts';
import { count } from '../progress-bars.ts';
import { gatherAddresses } from './addresses.ts';
import { type AssetsFlags, readAssetsFlags } from './flags.ts';
import { type JobOutcome, runJob } from './job.ts';
import { assetsOf } from './pages.ts';
import { screenOn, summary } from './screen.ts';
import { fileSink, lineOf, type Sink, surfaceSink, takeUp } from './sink.ts';
import { Tally } from './tally.ts';

const HELP = `Fetches the asset events of accounts and contracts as fast as the quota allows, one line of JSON
per account.

  stacks-quota assets ADDRESS… [flags]
  stacks-quota assets --from FILE [flags]
  … | stacks-quota assets - [flags]

  --from FILE        addresses, one per line; - is standard input; # begins a comment
  --all              all events of each account; else the latest 20, or --limit
  --limit N          events per page, up to 100   (20, or 100 with --all)
  --offset N         number of latest events to skip
  --unanchored       include events that are not anchored yet
  --until-block B    the last block to include: its height or its hash
  --out FILE         write to FILE, which must not exist, unless
  --resume             continue it: accounts in it are not fetched again
  --force              replace it
  --concurrency N    maximum number of requests in flight   (32)
  --max-wait TIME    give up if quota is exhausted for longer   (6h)
  --quiet            only errors on standard error
${ACCESS_HELP}

Every address is validated before anything is sent, and fetched once. Lines begin with the address
and come in the order of the responses: {"address": …, "total": …, "results": […]}. Failed accounts
are listed at the end and have no line. Ctrl-C stops sending and writes the responses still to come,
so a file always has whole lines; a second one ends at once.

  stacks-quota assets --from accounts.txt --all --out assets.ndjson
  stacks-quota assets --from accounts.txt --all --out assets.ndjson --resume
  stacks-quota assets - < accounts.txt | jq -r '[.address, .total] | @tsv'

Exit codes: 0 (all fetched), 1 (some or all failed), 2 (flags, addresses, files), 4 (quota exhausted
for longer than --max-wait), 130 (Ctrl-C), 141 (output closed).`;

/** `stacks-quota assets`. */
export const assetsCommand: Command = {
  help: HELP,
  async run(args, world, stop) {
    const flags = readAssetsFlags(args);
    const { out } = flags;
    const addresses = await unlessStopped(gatherAddresses(flags.words, flags.files, world), stop);
    const access = await accessOf(flags.access, world);
    const held = out?.mode === 'go on' ? await takeUp(out.path) : new Set<string>();
    const missing = addresses.filter((address) => !held.has(address));
    const sink = out ? await fileSink(out.path, out.mode) : surfaceSink(world.stdout);
    try {
      const job = { flags, addresses: missing, held: addresses.length - missing.length, access, sink };
      return await fetchAll(job, world, stop);
    } finally {
      await sink.close();
    }
  },
};

interface AssetsJob {
  readonly flags: AssetsFlags;
  readonly addresses: readonly string[];
  /** Accounts fetched by an earlier run. */
  readonly held: number;
  readonly access: Awaited<ReturnType<typeof accessOf>>;
  readonly sink: Sink;
}

async function fetchAll(
  { flags, addresses, held, access, sink }: AssetsJob,
  world: Environment,
  stop: AbortSignal,
): Promise<number> {
  const { clock, fetch, stdout, stderr } = world;
  const { concurrency, maxWaitMs, timeoutMs, wish, isQuiet, out } = flags;
  const startedAt = clock.now();
  const tally = new Tally(addresses.length, wish.isAll);
  const client = createClient({
    ...access,
    concurrency,
    maxWaitMs,
    timeoutMs,
    fetch,
    clock,
    onEvent(event) {
      tally.hear(event);
      if (event.type === 'waiting') screen.show();
    },
  });
  const progress = (): ReturnType<Tally['progress']> => tally.progress(client, clock.wall());
  const screen = screenOn(world, isQuiet || addresses.length === 0 || (stdout.isTTY && !out), progress);
  const cut = new AbortController();
  // Waiting calls are rejected unsent; requests in flight were counted by the service, so their responses are still used.
  const halt = (): void => void client.close();
  stop.addEventListener('abort', halt, { once: true });
  if (stop.aborted) halt();
  const outcome = await runJob({
    addresses,
    workers: concurrency + 16,
    async work(address) {
      await sink.write(lineOf(address, await assetsOf(client, address, wish, cut.signal)));
    },
    tell(done, failed) {
      Object.assign(tally, { done, failed });
      screen.show();
    },
    halted(error) {
      if (error instanceof BrokenPipeError) cut.abort(error);
      halt();
    },
  });
  stop.removeEventListener('abort', halt);
  await client.close();
  await screen.end();
  const lines = [...complaints(outcome), ...(isQuiet ? [] : [summary(progress(), held, clock.now() - startedAt)])];
  const isHalted = stop.aborted || outcome.halt !== undefined;
  if (isHalted && out && tally.done + held > 0)
    lines.push(`${out.path} contains only whole lines: continue with --resume.`);
  if (lines.length > 0 && !(outcome.halt?.error instanceof BrokenPipeError))
    await stderr.write(`${lines.join('\n')}\n`);
  if (outcome.halt) throw outcome.halt.error;
  stop.throwIfAborted();
  return outcome.failures.length > 0 ? EXIT.failure : EXIT.ok;
}

/** Maximum number of failures listed; the others are counted. */
const TOLD = 20;

function complaints({ failures }: JobOutcome): string[] {
  const told = failures.slice(0, TOLD).map(({ address, error }) => `${address}: ${describeError(error, 0).sentence}`);
  return failures.length > TOLD ? [...told, `… and ${count(failures.length - TOLD, 'more failure')}.`] : told;
}
