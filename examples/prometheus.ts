/**
 * Serves what a client does to Prometheus, while it makes a call a second.
 *
 *   npm run build && node examples/prometheus.ts                     against a mock of the service, on this machine
 *   STACKS_API_URL=… STACKS_API_KEY=… node examples/prometheus.ts    against a live service
 *   curl http://127.0.0.1:9464/metrics
 *
 * PORT=… takes another port than 9464; 0 any that is free. Alarms that are worth having are in prometheus/alerts.yml.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from 'stacks-quota';
import { createMockService } from 'stacks-quota/testing';
import { metricsOf } from './prometheus/metrics.ts';

const apiKey = 'a-key-of-the-mock';
const mock = process.env.STACKS_API_URL ? undefined : await createMockService({ keys: [apiKey] }).listen();
const client = createClient(mock ? { baseUrl: mock.url, apiKey } : {});
const metrics = metricsOf(client);

const server = createServer((request, response) => {
  if (request.url !== '/metrics') return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(metrics());
});
server.listen(Number(process.env.PORT ?? 9_464), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
});

// The traffic of your application stands here. What becomes of a call is in the metrics.
const call = (): void => void client.getInfo().catch(() => {});
call();
const traffic = setInterval(call, 1_000);

process.once('SIGTERM', async () => {
  clearInterval(traffic);
  server.close();
  await client.close();
  await mock?.close();
});
