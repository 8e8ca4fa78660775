/**
 * Serves metrics of a client to Prometheus, while it makes one call per second.
 *
 *   npm run build && node examples/prometheus.ts                     against a mock of the service, on this machine
 *   STACKS_API_URL=… STACKS_API_KEY=… node examples/prometheus.ts    against a live service
 *   curl http://127.0.0.1:9464/metrics
 *
 * PORT=… sets the port instead of 9464; 0 takes any free one. Recommended alerts are in prometheus/alerts.yml.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from 'stacks-quota';
import { METRICS_TYPE, metricsOf } from 'stacks-quota/prometheus';
import { createMockService } from 'stacks-quota/testing';

const apiKey = 'a-key-of-the-mock';
const mock = process.env.STACKS_API_URL ? undefined : await createMockService({ keys: [apiKey] }).listen();
const client = createClient(mock ? { baseUrl: mock.url, apiKey } : {});
const metrics = metricsOf(client);

const server = createServer((request, response) => {
  if (request.url !== '/metrics') return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': METRICS_TYPE }).end(metrics());
});
server.listen(Number(process.env.PORT ?? 9_464), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
});

// Replace this by the traffic of your application. The outcome of each call is in the metrics.
const call = (): void => void client.getInfo().catch(() => {});
call();
const traffic = setInterval(call, 1_000);

process.once('SIGTERM', async () => {
  clearInterval(traffic);
  server.close();
  await client.close();
  await mock?.close();
});
