/** What a call costs in CPU, beside a bare fetch, ky, and ky in p-queue. All answer at once, so nothing is waited for. */
import ky from 'ky';
import PQueue from 'p-queue';
import { createClient } from '../src/index.ts';
import { ADDRESSES } from './addresses.ts';
import { compare, least, median, paired, type Subject } from './compare.ts';
import { answering, BASE_URL, KEY } from './service.ts';

const IN_FLIGHT = 32;

for (const events of [0, 20]) {
  const scores = await compare(subjectsOf(events), {
    rounds: Number(process.argv[2] ?? 15),
    warmUp: 20_000,
    calls: 3_000,
    inFlight: IN_FLIGHT,
  });
  const alone = scores.find(({ name }) => name === 'ky');
  console.log(`\nCPU per call, ${events} events a page, ${IN_FLIGHT} in flight (µs)`);
  console.table(
    Object.fromEntries(
      scores.map(({ name, cpu, wall }) => [
        name,
        {
          'CPU, median': round(median(cpu)),
          'CPU, least': round(least(cpu)),
          'time, median': round(median(wall)),
          'time, least': round(least(wall)),
          'CPU ÷ ky': round(
            paired(cpu, alone?.cpu ?? [], (own, base) => own / base),
            2,
          ),
          'time − ky': round(paired(wall, alone?.wall ?? [], (own, base) => own - base)),
          'CPU − ky': round(paired(cpu, alone?.cpu ?? [], (own, base) => own - base)),
          'least − ky': round(least(cpu) - least(alone?.cpu ?? [])),
        },
      ]),
    ),
  );
}

function subjectsOf(events: number): readonly Subject[] {
  const fetch = answering(events);
  const headers = { 'x-api-key': KEY };
  const alone = ky.create({ fetch: (input, init) => fetch(input, init), headers });
  const queue = new PQueue({ concurrency: IN_FLIGHT });
  const client = createClient({ baseUrl: BASE_URL, apiKey: KEY, fetch, concurrency: IN_FLIGHT });
  let turn = 0;
  const address = (): string => ADDRESSES[turn++ % ADDRESSES.length] ?? '';
  const url = (): string => `${BASE_URL}/extended/v1/address/${address()}/assets`;
  return [
    { name: 'fetch', call: async () => (await fetch(url(), { headers })).json() },
    { name: 'ky', call: () => alone.get(url()).json() },
    { name: 'ky in p-queue', call: () => queue.add(() => alone.get(url()).json()) },
    { name: 'stacks-quota', call: () => client.getAddressAssets(address()) },
  ];
}

function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}
