import { createClient } from '../../index.ts';
import { accessOf } from '../access.ts';
import type { Command } from '../command.ts';
import { BrokenPipeError, type Environment } from '../environment.ts';
import { describeError } from '../error-message.ts';
import { EXIT, unlessStopped } from '../exit.ts';
import type { HelpPage } from '../help-page.ts';
import { writeErrors, writeNotices } from '../notices.ts';
import { count } from '../progress-bars.ts';
import { gatherAddresses } from './addresses.ts';
import { ASSETS_FLAGS, type AssetsFlags, readAssetsFlags } from './flags.ts';
import { type FailedAccount, isOfOneAccount, type JobOutcome, MOST_IN_A_ROW, runJob } from './job.ts';
import { type Assets, assetsOf } from './pages.ts';
import { screenOn, summary } from './screen.ts';
import { fileSink, lineOf, readFetched, type Sink, surfaceSink } from './sink.ts';
import { type Progress, Tally } from './tally.ts';

const PAGE: HelpPage = {
  usage: ['assets ADDRESS... [flags]', 'assets --from FILE [flags]', 'assets - [flags] < FILE'],
  about: `Fetches the asset events of accounts and contracts as fast as the quota allows, one line of JSON per account.

Every address is validated before anything is sent, and fetched once. Lines begin with the address and come in the
order of the responses: {"address": ..., "total": ..., "results": [...]}. Failed accounts are listed at the end and have
no line. Ctrl-C stops sending and writes the responses still to come, so a file always has whole lines; a second one
ends at once.`,
  flags: ASSETS_FLAGS,
  examples: [
    'stacks-quota assets --from accounts.txt --all -o assets.ndjson',
    'stacks-quota assets --from accounts.txt --all -o assets.ndjson --resume',
    "stacks-quota assets - < accounts.txt | jq -r '[.address, .total] | @tsv'",
  ],
  exits: [
    ['0', 'all fetched'],
    ['1', 'some or all failed'],
    ['2', 'invalid flags, addresses or files; nothing was sent'],
    ['4', 'the quota is exhausted for longer than --max-wait'],
    ['130', 'Ctrl-C'],
    ['141', 'the reader of the output has closed it'],
  ],
};

/** `stacks-quota assets`. */
export const assetsCommand: Command = {
  page: PAGE,
  async run(args, world, stop) {
    const flags = readAssetsFlags(args);
    const { out } = flags;
    const addresses = await unlessStopped(gatherAddresses(flags.words, flags.files, world), stop);
    const access = await accessOf(flags.access, world);
    const held = out?.mode === 'append' ? await readFetched(out.path) : new Set<string>();
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

async function fetchAll(job: AssetsJob, world: Environment, stop: AbortSignal): Promise<number> {
  const { flags, addresses, access, sink } = job;
  const { clock, stdout } = world;
  const { concurrency, maxWaitMs, timeoutMs, request, isQuiet, out } = flags;
  const startedAt = clock.now();
  const tally = new Tally();
  const client = createClient({
    ...access,
    concurrency,
    maxWaitMs,
    timeoutMs,
    onEvent(event) {
      tally.record(event);
      if (event.type === 'waiting') screen.show();
    },
  });
  const bulk = client.bulk(addresses, (address, { signal }) => assetsOf(client, address, request, signal), {
    // More than may be in flight, so that the queue is never empty.
    concurrency: concurrency + 16,
    maxFailuresInARow: MOST_IN_A_ROW,
    isFatal: (error) => !isOfOneAccount(error),
  });
  const progress = (): Progress => tally.progress(client, bulk.progress, clock.wall());
  const screen = screenOn(world, isQuiet || addresses.length === 0 || (stdout.isTTY && !out), progress);
  // Waiting calls are rejected unsent; requests in flight were counted by the service, so their responses are still used.
  const halt = (): void => void client.close();
  stop.addEventListener('abort', halt, { once: true });
  if (stop.aborted) halt();
  let written = 0;
  const write = async (address: string, assets: Assets): Promise<void> => {
    await sink.write(lineOf(address, assets));
    written++;
  };
  const outcome = await runJob(bulk, write, screen.show);
  stop.removeEventListener('abort', halt);
  await client.close();
  await screen.end();
  await report(
    job,
    {
      ...outcome,
      progress: { ...progress(), done: written },
      tookMs: clock.now() - startedAt,
      isStopped: stop.aborted,
    },
    world,
  );
  if (outcome.halt) throw outcome.halt.error;
  stop.throwIfAborted();
  return outcome.failures.length > 0 ? EXIT.failure : EXIT.ok;
}

interface EndedJob extends JobOutcome {
  readonly progress: Progress;
  readonly tookMs: number;
  /** Whether the user ended it. */
  readonly isStopped: boolean;
}

/** Lists the failures on standard error, and says what was done and how to go on; nothing if the reader of the output has closed it. */
async function report({ flags, held }: AssetsJob, ended: EndedJob, world: Environment): Promise<void> {
  const { isQuiet, out } = flags;
  const { failures, halt, progress, tookMs, isStopped } = ended;
  if (halt?.error instanceof BrokenPipeError) return;
  await writeErrors(complaints(failures), world);
  if (!isQuiet) await writeNotices([summary(progress, held, tookMs)], world);
  if ((isStopped || halt) && out && progress.done + held > 0)
    await writeNotices([`${out.path} contains only whole lines: continue with --resume.`], world);
}

/** Maximum number of failures listed; the others are counted. */
const TOLD = 20;

function complaints(failures: readonly FailedAccount[]): string[] {
  const told = failures.slice(0, TOLD).map(({ address, error }) => `${address}: ${describeError(error, 0).sentences}`);
  return failures.length > TOLD ? [...told, `… and ${count(failures.length - TOLD, 'more failure')}.`] : told;
}
