/** Benchmark: CPU and time of a call, compared with a bare fetch, ky, and ky in p-queue. Quota is unlimited, so no call waits. */
import ky from 'ky';
import PQueue from 'p-queue';
import { createClient } from '../src/index.ts';
import { ADDRESSES } from './addresses.ts';
import { compare, type Subject } from './compare.ts';
import { answering, BASE_URL, KEY } from './service.ts';

const IN_FLIGHT = 32;

for (const events of [0, 20]) {
  const scores = await compare(subjectsOf(events), { rounds: 300, calls: 64, warmUp: 20_000, inFlight: IN_FLIGHT });
  const alone = scores.find(({ name }) => name === 'ky');
  if (!alone) throw new Error('There is nothing to compare with.');
  console.log(`\nA call, ${events} events a page, ${IN_FLIGHT} in flight, in µs`);
  console.table(
    Object.fromEntries(
      scores.map(({ name, cpu, time }) => [
        name,
        {
          CPU: cpu.toFixed(0),
          'CPU ÷ ky': (cpu / alone.cpu).toFixed(2),
          'time, undisturbed': time.toFixed(0),
          'time ÷ ky': (time / alone.time).toFixed(2),
          'time − ky': (time - alone.time).toFixed(0),
        },
      ]),
    ),
  );
}

function subjectsOf(events: number): readonly Subject[] {
  const headers = { 'x-api-key': KEY };
  const bare = answering(events);
  const alone = ky.create({ fetch: answering(events), headers });
  const queued = ky.create({ fetch: answering(events), headers });
  const queue = new PQueue({ concurrency: IN_FLIGHT });
  const client = createClient({ baseUrl: BASE_URL, apiKey: KEY, fetch: answering(events), concurrency: IN_FLIGHT });
  let turn = 0;
  const address = (): string => ADDRESSES[turn++ % ADDRESSES.length] ?? '';
  const url = (): string => `${BASE_URL}/extended/v1/address/${address()}/assets`;
  return [
    { name: 'fetch', call: async () => (await bare(url(), { headers })).json() },
    { name: 'ky', call: () => alone.get(url()).json() },
    { name: 'ky in p-queue', call: () => queue.add(() => queued.get(url()).json()) },
    { name: 'stacks-quota', call: () => client.getAddressAssets(address()) },
  ];
}
