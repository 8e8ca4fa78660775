/**
 * Draws the pictures of the proxy's page in the documents, light and dark: 25 minutes of traffic in virtual time, then many calls at once,
 * as a real Chromium shows them. The same in every run.
 *
 *   npm run picture:proxy
 */
import { writeFileSync } from 'node:fs';
import { createClient } from '../src/index.ts';
import { createProxy } from '../src/proxy/index.ts';
import { createMockService, seeded, virtualClock } from '../src/testing/index.ts';
import { openBrowser } from '../test/support/browser.ts';

const ADDRESS = 'SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZJ';
const WIDTH = 1_000;

const clock = virtualClock({ wall: Date.UTC(2026, 10, 22, 14, 34, 50) });
const keyed = { second: 20, minute: 500, month: 150_000 };
const random = seeded(7);
const service = createMockService({ clock, keys: ['a-key'], keyed, latencyMs: [60, 140], random: seeded(8) });
const client = createClient({
  baseUrl: service.origin,
  apiKey: 'a-key',
  fetch: service.fetch,
  clock,
  random: seeded(9),
});
const proxy = createProxy(client, { clock });
const { url, close } = await proxy.listen({ port: 0 });

// What was used of the month before, so that it runs out before it ends.
service.spend(112_000, 'a-key');
const calls: Promise<unknown>[] = [];
const call = (priority: number): unknown => {
  const made = random() < 0.3 ? client.getInfo({ priority }) : client.getAddressAssets(ADDRESS, { priority });
  return calls.push(made.catch(() => {}));
};
for (let second = 0; second < 1_500; second++) {
  const wave = 5 + 3 * Math.sin(second / 40);
  for (let nth = 0; nth < Math.round(wave * (0.5 + random())); nth++) call(0);
  await clock.advance(1_000);
}
for (let nth = 0; nth < 600; nth++) call(nth % 50 === 0 ? 1 : 0);
await clock.advance(12_400);

const page = await openBrowser();
await page.send('Emulation.setDeviceMetricsOverride', {
  width: WIDTH,
  height: 900,
  deviceScaleFactor: 1,
  mobile: false,
});
await page.open(`${url}/-/`);
while (!(await page.evaluate<boolean>("document.body?.dataset.drawn === 'yes'"))) await clock.advance(0);
for (const value of ['light', 'dark']) {
  await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] });
  const { cssContentSize } = (await page.send('Page.getLayoutMetrics')) as { cssContentSize: { height: number } };
  const clip = { x: 0, y: 0, width: WIDTH, height: cssContentSize.height, scale: 1 };
  const { data } = await page.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true, clip });
  writeFileSync(new URL(`../docs/proxy-${value}.png`, import.meta.url), Buffer.from(String(data), 'base64'));
}
if (page.complaints.length > 0) throw new Error(page.complaints.join('\n'));
await page.close();
await Promise.all([clock.run(Promise.all([client.close(), ...calls])), close()]);
