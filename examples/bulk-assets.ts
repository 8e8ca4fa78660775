/**
 * Fetches the assets of 300 accounts and contracts as fast as the quota allows, and shows the progress.
 *
 *   npm start                                      against a mock of the service, on this machine
 *   STACKS_API_URL=… STACKS_API_KEY=… npm start    against a live service
 *   npm start -- --help                            for all flags
 */
import { readFileSync } from 'node:fs';
import { createClient, isConnectionError } from 'stacks-quota';
import { type Flags, HELP, readFlags } from './bulk-assets/flags.ts';
import { report, sentenceOf } from './bulk-assets/report.ts';
import { type Progress, screenOn } from './bulk-assets/screen.ts';
import { liveService, mockService, type Service } from './bulk-assets/service.ts';
import { shortest } from './bulk-assets/shortest.ts';
import { Tally } from './bulk-assets/tally.ts';

/** A bulk job can wait for hours, but not for the next month. */
const MAX_WAIT_MS = 6 * 3_600_000;

/** Interval between two drawings, in milliseconds. */
const DRAW_EVERY_MS = 100;

/** Exit code after Ctrl-C, as in shells. */
const INTERRUPTED = 130;

// The reader of the output, such as `head`, has closed it.
process.stdout.once('error', () => process.exit(1));

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(sentenceOf(error));
  process.exitCode = 1;
}

async function main(argv: readonly string[]): Promise<number> {
  const flags = readFlags(argv);
  if (flags.help) {
    console.log(HELP);
    return 0;
  }
  const addresses = readAddresses(flags);
  const url = process.env.STACKS_API_URL;
  const service = url ? liveService(url, flags) : await mockService(flags);
  try {
    return await fetchAll(addresses, service);
  } finally {
    await service.close();
  }
}

/** Fetches all addresses. The client decides how many are in flight and when they are sent. */
async function fetchAll(addresses: readonly string[], service: Service): Promise<number> {
  const total = addresses.length;
  const tally = new Tally();
  const stop = new AbortController();
  const failures: unknown[] = [];
  let fetched = 0;
  let events = 0;

  const client = createClient({ ...service.access, maxWaitMs: MAX_WAIT_MS, onEvent: (event) => tally.record(event) });
  const bulk = client.bulk(addresses, (address, { signal }) => client.getAddressAssets(address, { signal }), {
    signal: stop.signal,
  });

  const progress = (): Progress => {
    const quota = client.quota();
    const { done, etaMs } = bulk.progress;
    return {
      total,
      done,
      limited: tally.limited,
      quota,
      etaMs: done < total ? etaMs : undefined,
      why: quota.waiting > 0 ? tally.why : undefined,
    };
  };
  const screen = screenOn(process.stdout);
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt);
  console.log(`${total} accounts and contracts, from ${service.title}\n`);

  const startedAt = { wall: Date.now(), truth: service.truth?.time(), now: performance.now() };
  const drawing = setInterval(() => screen.show(progress()), DRAW_EVERY_MS);
  try {
    for await (const outcome of bulk) {
      if (outcome.status === 'fulfilled') {
        fetched++;
        events += outcome.value.data.total;
      } else {
        failures.push(outcome.reason);
        // Single failures are reported at the end. If the first calls fail, the others will, too.
        if (fetched === 0) break;
      }
    }
  } catch (error) {
    if (!stop.signal.aborted) failures.push(error);
  }
  const tookMs = performance.now() - startedAt.now;

  clearInterval(drawing);
  screen.end(progress());
  process.off('SIGINT', interrupt);
  await client.close();
  if (fetched === 0 && failures.length > 0) throw hopeless(failures[0], service);

  const windows = service.truth?.windows ?? tally.windows ?? [];
  const begin = startedAt.truth ?? tally.serviceTime(startedAt.wall);
  const shortestMs = windows.length > 0 ? shortest(fetched, begin, windows) : undefined;
  const { requests, limited } = service.truth ?? tally;
  const isInterrupted = stop.signal.aborted;
  console.log(
    `\n${report({ total, fetched, events, failures, requests, limited, tookMs, shortestMs, isInterrupted })}`,
  );
  if (isInterrupted) return INTERRUPTED;
  return failures.length > 0 ? 1 : 0;
}

function hopeless(error: unknown, { title }: Service): unknown {
  return isConnectionError(error) ? new Error(`No usable answer from ${title}: ${error.code}.`) : error;
}

function readAddresses({ file, limit }: Flags): readonly string[] {
  const path = file ?? new URL('addresses.txt', import.meta.url);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`The addresses cannot be read: ${sentenceOf(error)}`);
  }
  const addresses = text.split(/\s+/).filter((address) => address !== '');
  if (addresses.length === 0) throw new Error(`There are no addresses in ${file}.`);
  return addresses.slice(0, limit);
}
