import { describe, expect, it } from 'vitest';
import { KEY, worldOf } from '../support/world.ts';

const INFO = '/extended/v1/info';
const BLOCKS = '/extended/v2/blocks';

/** A service that has one more page. */
function withPage(body: string, options: Parameters<typeof worldOf>[0] = {}) {
  const world = worldOf(options);
  world.service.faults.when(({ url }) => (url.pathname === BLOCKS ? { status: 200, body } : undefined));
  return world;
}

describe('get', () => {
  it('writes the body of any path as it came', async () => {
    const body = '{"results" : [ 1,2 ]}  ';
    const world = withPage(body);
    expect(await world.run('get', BLOCKS)).toBe(0);
    expect(world.stdout.text).toBe(body);
    expect(world.stderr.text).toBe('');
  });

  it('indents JSON on a terminal, and leaves anything else', async () => {
    const json = withPage('{"total":2}', { columns: 80 });
    await json.run('get', BLOCKS);
    expect(json.stdout.text).toBe('{\n  "total": 2\n}\n');
    const text = withPage('plain', { columns: 80 });
    await text.run('get', BLOCKS);
    expect(text.stdout.text).toBe('plain\n');
  });

  it('writes one line of JSON on request', async () => {
    const world = withPage('{"total":\n2}');
    expect(await world.run('get', BLOCKS, '--json')).toBe(0);
    expect(world.stdout.text).toBe('{"total":2}\n');
  });

  it.for<[name: string, body: string, line: string]>([
    ['null', 'null', 'null'],
    ['numbers that JavaScript would round', '{"a": [12345678901234567890, 1.10]}', '{"a":[12345678901234567890,1.10]}'],
    ['no JSON', 'plain', '"plain"'],
  ])('writes the same value on one line, and after the headers: %s', async ([, body, line]) => {
    const world = withPage(body);
    await world.run('get', BLOCKS, '--json');
    expect(world.stdout.text).toBe(`${line}\n`);
    await world.run('get', BLOCKS, '--json', '--include');
    expect(world.stdout.text).toMatch(new RegExp(`,"body":${line.replaceAll(/[[.]/g, '\\$&')}}\\n$`));
  });

  it('writes status and headers before the body on request', async () => {
    const world = worldOf();
    expect(await world.run('get', INFO, '-i')).toBe(0);
    const [head = '', body = ''] = world.stdout.text.split('\n\n');
    expect(head).toMatch(/^HTTP\/1\.1 200/);
    expect(head).toMatch(/^x-ratelimit-remaining-stacks-minute: 499$/m);
    expect(JSON.parse(body)).toHaveProperty('status');
  });

  it('has them in the line of JSON, too', async () => {
    const world = withPage('{"total":2}');
    await world.run('get', BLOCKS, '--json', '--include');
    expect(JSON.parse(world.stdout.text)).toMatchObject({ status: 200, headers: {}, body: { total: 2 } });
  });

  it('adds parameters to the query, encoded', async () => {
    const urls: string[] = [];
    const world = worldOf();
    world.service.faults.when(({ url }) => {
      urls.push(url.pathname + url.search);
      return undefined;
    });
    await world.run('get', INFO, '--query', 'q=a b&c', '--query', 'limit=5');
    await world.run('get', `${INFO}?offset=1`, '--query', 'limit=5');
    expect(urls).toEqual([`${INFO}?q=a+b%26c&limit=5`, `${INFO}?offset=1&limit=5`]);
  });

  it('sends the headers that it is given', async () => {
    const seen: (string | null)[] = [];
    const world = worldOf();
    world.service.faults.when(({ headers }) => {
      seen.push(headers.get('accept'), headers.get('x-api-key'));
      return undefined;
    });
    await world.run('get', INFO, '-H', 'accept: text/plain');
    expect(seen).toEqual(['text/plain', KEY]);
  });

  it('is paced: it waits for the next second where this one is used up', async () => {
    const world = worldOf({ service: { keyed: { minute: 1 } } });
    world.service.spend(1, KEY);
    expect(await world.run('get', INFO)).toBe(0);
    expect(world.clock.now()).toBeGreaterThan(39_000);
  });

  it('writes the body of an error, says its status and ends with 1', async () => {
    const world = worldOf();
    expect(await world.run('get', '/nowhere')).toBe(1);
    expect(world.stdout.text).toContain('not found');
    expect(world.stderr.text).toBe('stacks-quota: GET /nowhere: the service answered 404.\n');
  });

  it('says to check a key that is refused, and does not show it', async () => {
    const world = worldOf({ env: { STACKS_API_KEY: 'wrong-key-of-the-test' } });
    expect(await world.run('get', INFO)).toBe(1);
    expect(world.stderr.text).toBe(`stacks-quota: GET ${INFO}: the service answered 401. Check the key.\n`);
    expect(world.stdout.text).not.toContain('wrong-key-of-the-test');
  });

  it.each(['5s', '0s'])('ends with 4 where the quota is exhausted for longer than it may wait: %s', async (longest) => {
    const world = worldOf({ service: { keyed: { month: 1 } } });
    world.service.spend(1, KEY);
    expect(await world.run('get', INFO, '--max-wait', longest)).toBe(4);
    expect(world.stderr.text).toMatch(/^stacks-quota: /);
  });

  it('names the flag where no response comes in time', async () => {
    const world = worldOf();
    world.service.faults.when(() => 'hang');
    expect(await world.run('get', INFO, '--timeout', '1s')).toBe(1);
    expect(world.stderr.text).toMatch(/ after 3 attempts \(TIMEOUT: it took longer than --timeout\)\.\n$/);
  });

  it('ends with 130 on Ctrl-C', async () => {
    const world = worldOf({ service: { latencyMs: 5_000 } });
    world.clock.timer(1_000, () => world.interrupt());
    expect(await world.run('get', INFO)).toBe(130);
  });

  it.for<[name: string, argv: string[], sentence: RegExp]>([
    ['no path', [], /Missing path: pass one such as \/extended\/v1\/info\./],
    ['two paths', [INFO, INFO], /get takes one path, not 2\./],
    [
      'the URL of another host',
      ['https://example.com/'],
      /PATH must begin with one slash, .*--url says which service\./,
    ],
    ['a path to another host', ['//example.com/x'], /PATH must begin with one slash/],
    ['a parameter without a name', [INFO, '--query', 'limit'], /--query must be a name and a value/],
    ['a header without a name', [INFO, '-H', 'limit'], /--header must be a name, a colon and a value/],
    [
      'a header that would break the request',
      [INFO, '-H', 'x-a: b\nc'],
      /headers must be valid names and Latin-1 values/,
    ],
    ['the key as a header', [INFO, '-H', `X-API-Key: ${KEY}`], /The key cannot be a header: .*--key-file FILE\./],
  ])('refuses %s, and sends nothing', async ([, argv, sentence]) => {
    const world = worldOf();
    expect(await world.run('get', ...argv)).toBe(2);
    expect(world.stderr.text).toMatch(sentence);
    expect(world.stderr.text).not.toContain(KEY);
    expect(world.service.requests).toBe(0);
  });
});
