/**
 * Shows how much of the quota is left, from the headers of one answer.
 *
 *   npm run build && node examples/quota.ts                     against a mock of the service, on this machine
 *   STACKS_API_URL=… STACKS_API_KEY=… node examples/quota.ts    against a live service
 */
import { createClient, type QuotaSnapshot } from 'stacks-quota';
import { createMockService } from 'stacks-quota/testing';
import { number, windowLine } from './bulk-assets/bar.ts';

const PERIODS = ['second', 'minute', 'hour', 'day', 'month'] as const;

try {
  await main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const apiKey = 'a-key-of-the-mock';
  const mock = process.env.STACKS_API_URL ? undefined : createMockService({ keys: [apiKey] });
  mock?.spend(123, apiKey);
  const listening = await mock?.listen();
  const client = createClient(listening ? { baseUrl: listening.url, apiKey } : {});
  try {
    const { quota, status } = await client.getInfo({ headersOnly: true });
    console.log(linesOf(quota, (process.stdout.columns ?? 80) - 1).join('\n'));
    console.log(`\nThe service answered ${status}, and counted ${costOf(quota)} for it.`);
  } finally {
    await client.close();
    await listening?.close();
  }
}

/** A line for each window that the headers describe (section 8). */
function linesOf({ stacks, limit, remaining, resetAt }: QuotaSnapshot, columns: number): string[] {
  const lines = PERIODS.flatMap((period) => {
    const window = stacks[period];
    if (window?.limit === undefined || window.remaining === undefined) return [];
    return [windowLine({ name: period, limit: window.limit, left: window.remaining }, columns)];
  });
  if (limit !== undefined && remaining !== undefined && resetAt !== undefined) {
    lines.push(
      `Until ${new Date(resetAt).toISOString()} this endpoint has ${number(remaining)} of ${number(limit)} left.`,
    );
  }
  return lines.length > 0 ? lines : ['The headers say nothing of a quota.'];
}

function costOf({ stacks: { cost } }: QuotaSnapshot): string {
  if (cost === undefined) return 'nobody knows what';
  return cost === 1 ? '1 unit' : `${number(cost)} units`;
}
