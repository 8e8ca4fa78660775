import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { metricsOf } from '../../src/prometheus/index.ts';
import { mockWorld } from '../support/mock-world.ts';

const INFO = 'GET /extended/v1/info';

/** The metrics of a client whose second call meets two faults, and whose last one fails; before the third, another consumer uses two units. */
async function scraped(): Promise<string> {
  const { clock, service, client } = mockWorld(
    { keys: ['a-key'], keyed: { minute: 100, month: 1_000 } },
    { apiKey: 'a-key' },
  );
  const metrics = metricsOf(client);
  await clock.run(client.getInfo());
  service.faults.next(1, 'reset');
  service.faults.next(1, { status: 503 });
  await clock.run(client.getInfo());
  service.spend(2, 'a-key');
  await clock.run(client.getInfo());
  service.faults.next(3, 'lost');
  await clock.run(client.getInfo().catch(() => {}));
  return metrics();
}

describe('the metrics for Prometheus', () => {
  it('count what the events of calls say', async () => {
    const lines = (await scraped()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines).toEqual(
      expect.arrayContaining([
        `stacks_quota_requests_total{endpoint="${INFO}",status="200"} 3`,
        `stacks_quota_requests_total{endpoint="${INFO}",status="503"} 1`,
        `stacks_quota_units_total{endpoint="${INFO}"} 4`,
        'stacks_quota_limited_total 0',
        'stacks_quota_lost_total{code="ECONNRESET"} 4',
        'stacks_quota_failed_calls_total{error="ConnectionError"} 1',
        'stacks_quota_unexplained_units_total{window="month"} 2',
        'stacks_quota_wait_seconds_count{reason="none"} 8',
        'stacks_quota_limit_units{window="month"} 1000',
        'stacks_quota_calls_waiting 0',
        'stacks_quota_requests_in_flight 0',
      ]),
    );
  });

  it('are all named in docs/watching.md', async () => {
    const names = Array.from((await scraped()).matchAll(/^# TYPE (\S+)/gm), ([, name = '']) => name);
    const page = readFileSync('docs/watching.md', 'utf8');
    expect(names).toHaveLength(14);
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
