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

const HELP = `Fetches the asset events of accounts and contracts as fast as the quota bears, a line of JSON for
each account.

  stacks-quota assets ADDRESS… [flags]
  stacks-quota assets --from FILE [flags]
  … | stacks-quota assets - [flags]

  --from FILE        addresses, one on each line; - is standard input; what follows a # is a remark
  --all              all events of each account, page after page; else the latest 20, or --limit
  --limit N          how many events a page has, up to 100   (20, or 100 with --all)
  --offset N         how many of the latest events to skip
  --unanchored       with events that are not anchored yet
  --until-block B    the last block to look at: its height or its hash
  --out FILE         write there; FILE must be new, or else
  --resume             go on with it: what it holds is not fetched again
  --force              replace it
  --concurrency N    how many requests may be in flight   (32)
  --max-wait TIME    give up where the quota is out for longer   (6h)
  --quiet            nothing on standard error but what went wrong
${ACCESS_HELP}

Every address is checked before anything is spent, and asked for once. Lines begin with the address
and come in the order of the answers: {"address": …, "total": …, "results": […]}. An account that
fails is named at the end and has no line. Ctrl-C sends nothing more and writes what is under way,
so a file always has whole lines; a second one ends at once.

  stacks-quota assets --from accounts.txt --all --out assets.ndjson
  stacks-quota assets --from accounts.txt --all --out assets.ndjson --resume
  stacks-quota assets - < accounts.txt | jq -r '[.address, .total] | @tsv'

Ends with 0 (all fetched), 1 (some or all failed), 2 (flags, addresses, files), 4 (the quota is out
for longer than --max-wait), 130 (Ctrl-C), 141 (nobody reads).`;

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
  /** How many more there would be, had they not been fetched before. */
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
  // Whoever waits is turned away, unsent; what is under way was counted by the service, so it may come back.
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
  if (isHalted && out && tally.done + held > 0) lines.push(`${out.path} has whole lines only: go on with --resume.`);
  if (lines.length > 0 && !(outcome.halt?.error instanceof BrokenPipeError))
    await stderr.write(`${lines.join('\n')}\n`);
  if (outcome.halt) throw outcome.halt.error;
  stop.throwIfAborted();
  return outcome.failures.length > 0 ? EXIT.failure : EXIT.ok;
}

/** So many failures are told; the others are counted. */
const TOLD = 20;

function complaints({ failures }: JobOutcome): string[] {
  const told = failures.slice(0, TOLD).map(({ address, error }) => `${address}: ${describeError(error, 0).sentence}`);
  return failures.length > TOLD ? [...told, `… and ${count(failures.length - TOLD, 'more failure')}.`] : told;
}
