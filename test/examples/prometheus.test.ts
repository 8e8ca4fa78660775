import { createMockService } from 'stacks-quota/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Example, endAll, start } from './support/start.ts';

const open: (() => Promise<void>)[] = [];

afterAll(async () => {
  await endAll();
  for (const close of open) await close();
});

/** A line of the text format: a comment, or a name with labels and a value. */
const LINE =
  /^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="(?:[^"\\\n]|\\.)*"(,\w+="(?:[^"\\\n]|\\.)*")*\})? [-+]?(\d+(\.\d+)?(e[-+]?\d+)?|Inf))$/;

interface Scrape {
  readonly example: Example;
  readonly type: string | null;
  readonly text: string;
}

/** The metrics of the example once a call was answered, before a service on a real port. */
async function scrape(): Promise<Scrape> {
  const service = createMockService({ keyless: { minute: 50, month: 1_000 } });
  const { url, close } = await service.listen();
  open.push(close);
  const example = start('prometheus.ts', [], { PORT: '0', STACKS_API_URL: url });
  const [, metrics = ''] = await example.says(/^Listening on (http:\S+)$/m);
  for (;;) {
    const response = await fetch(metrics);
    const text = await response.text();
    if (/^stacks_quota_(requests|lost)_total\{/m.test(text))
      return { example, type: response.headers.get('content-type'), text };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('the recipe for Prometheus', () => {
  let scraped: Scrape;

  beforeAll(async () => {
    scraped = await scrape();
  });

  it('serves text that Prometheus reads, with every kind of metric declared once', () => {
    const { type, text } = scraped;
    expect(type).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text.endsWith('\n')).toBe(true);
    const lines = text.trimEnd().split('\n');
    expect(lines.filter((line) => !LINE.test(line))).toEqual([]);
    const declared = lines.flatMap((line) => /^# TYPE (\w+)/.exec(line)?.[1] ?? []);
    expect(declared).toEqual([...new Set(declared)]);
    const used = lines.flatMap((line) => /^(?!#)(\w+?)(?:_bucket|_sum|_count)?[ {]/.exec(line)?.[1] ?? []);
    expect([...new Set(used)].filter((name) => !declared.includes(name))).toEqual([]);
  });

  it('says what is left, what was spent, and how long calls waited', () => {
    const { text } = scraped;
    // One call, or some more where the machine is busy: the example makes one per second.
    expect(text).toMatch(/^stacks_quota_limit_units\{window="minute"\} 50$/m);
    expect(text).toMatch(/^stacks_quota_remaining_units\{window="month"\} 99\d$/m);
    expect(text).toMatch(/^stacks_quota_requests_total\{endpoint="GET \/extended\/v1\/info",status="200"\} [1-9]$/m);
    expect(text).toMatch(/^stacks_quota_units_total\{endpoint="GET \/extended\/v1\/info"\} [1-9]$/m);
    expect(text).toMatch(/^stacks_quota_limited_total 0$/m);
    expect(text).toMatch(/^stacks_quota_wait_seconds_bucket\{reason="none",le="\+Inf"\} [1-9]$/m);
    expect(text).toMatch(/^stacks_quota_month_units_per_day \d/m);
  });

  it('ends when it is told to', async () => {
    const { example } = scraped;
    example.process.kill('SIGTERM');
    expect((await example.ending).code).toBe(0);
  });
});
