/** Uses the types of each entry point that needs no optional peer but OpenTelemetry, and options that may be undefined. */
export const TYPED_PROGRAM = `
import { type AddressAssets, createClient, isQuotaExhausted } from 'stacks-quota';
import { createFetchClient } from 'stacks-quota/fetch';
import { localShare } from 'stacks-quota/local';
import { instrument } from 'stacks-quota/otel';
import { metricsOf } from 'stacks-quota/prometheus';
import { createProxy } from 'stacks-quota/proxy';
import { redisShare } from 'stacks-quota/redis';
import { textStore } from 'stacks-quota/sharing';
import { createMockService } from 'stacks-quota/testing';

export const service = createMockService({ routes: { 'POST /v2/{x}': async ({ json }) => (await json()).x } });
export const client = createClient({ apiKey: process.env.KEY, fetch: service.fetch, clock: undefined });
export const light = createFetchClient({ apiKey: process.env.KEY });
export const ends = [instrument(client), metricsOf(client), createProxy(client)];
export const shares = [redisShare, localShare, textStore];
export async function page(address: string): Promise<AddressAssets | undefined> {
  try {
    const { data, quota } = await client.getAddressAssets(address, { limit: 1, signal: undefined });
    const left: number | undefined = quota.stacks.minute?.remaining;
    console.log(left, (await light.fetch('/extended/v1/info')).status);
    await client.request('POST', '/v2/{x}', { params: { x: 1 }, body: new Uint8Array(1) });
    return data;
  } catch (error) {
    if (isQuotaExhausted(error)) console.log(error.retryAt);
    return undefined;
  }
}
// @ts-expect-error -- the types are those of the package, and not any.
export const wrong: string = client.waiting;
`;

/** What `TYPED_PROGRAM` needs beside the package. */
export const TYPE_PACKAGES: readonly string[] = ['@types/node@24', '@opentelemetry/api@1'];

/** The strictest settings, for the TypeScript of each version. */
export const STRICTEST: Readonly<Record<string, unknown>> = {
  strict: true,
  noEmit: true,
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable', 'esnext.disposable'],
  types: ['node'],
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
};
