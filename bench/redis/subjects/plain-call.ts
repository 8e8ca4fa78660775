import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from '../subject.ts';

const ATTEMPTS = 5;

/** Sends a request through a limiter; after a 429 waits as `retry-after` says and goes through the limiter again. */
export async function plainCall(
  { origin, key }: Place,
  units: number,
  limited: (send: () => Promise<Response>) => Promise<Response>,
): Promise<void> {
  const path = units === 1 ? '/extended/v1/info' : '/extended/v1/address/an-account/assets';
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const response = await limited(() => fetch(`${origin}${path}`, { headers: { 'x-api-key': key() } }));
    await response.text();
    if (response.ok) return;
    await sleep(Number(response.headers.get('retry-after')) * 1_000);
  }
  throw new Error(`refused ${ATTEMPTS} times`);
}
