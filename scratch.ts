import { readFileSync } from 'node:fs';
import { createClient } from './src/index.ts';
import { createMockService, virtualClock } from './src/testing/index.ts';
const addresses = readFileSync('examples/addresses.txt','utf8').split(/\s+/).filter(Boolean);
const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 20, 500) });
const service = createMockService({ clock, keys: ['k'], latencyMs: [20, 200] });
const client = createClient({ baseUrl: service.origin, apiKey: 'k', fetch: service.fetch, clock });
const many = Array.from({length: 2000}, (_, i) => addresses[i % addresses.length]!);
const etas: string[] = [];
let last = 0;
await clock.run(async () => {
  console.log(client.estimate({count: 2000}));
  await client.getInfo();
  console.log(client.estimate({count: 2000}), clock.now());
  const bulk = client.bulk(many, (a, { signal }) => client.getAddressAssets(a, { signal }), { onProgress: (p) => { if (p.done - last >= 200) { last = p.done; etas.push(`${clock.now()|0} ${p.done} eta ${Math.round(p.etaMs??-1)} → ${Math.round(clock.now() + (p.etaMs??0))} ${p.window} ${p.perSecond.toFixed(1)}`); } } });
  let n = 0;
  for await (const o of bulk) { n++; if (o.status === 'rejected') console.log(o.reason); }
  console.log(n, clock.now(), bulk.progress, bulk.checkpoint);
});
console.log(etas.join('\n'));
console.log(service.requests, service.limited);
const t = performance.now();
for (let i = 0; i < 1000; i++) client.estimate({ count: 1_000_000 + i });
console.log('estimate µs', (performance.now() - t));
console.log(client.estimate({ count: 1_000_000 }), client.estimate({count: 1e12}));
