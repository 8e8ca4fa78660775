import { expect, it } from 'vitest';
import * as z from 'zod';
import { createClient } from '../../src/client/create-client.ts';
import { createMockService, virtualClock } from '../../src/testing/index.ts';

const KEY = 'k3y-of-32-characters-0123456789ab';
const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';

/** A client of a service whose every answer is a 200 with that body. */
function answering(body: string) {
  const clock = virtualClock();
  const mock = createMockService({ clock, keys: [KEY] });
  mock.faults.when(() => ({ status: 200, body }));
  const client = createClient({ baseUrl: mock.origin, apiKey: KEY, fetch: mock.fetch, clock });
  const endOf = (work: Promise<unknown>): Promise<unknown> => clock.run(work.catch((error: unknown) => error));
  return { mock, client, endOf };
}

it('a page of far too many results is a ResponseShapeError with one issue', async () => {
  const { client, endOf } = answering(`{"limit":1,"offset":0,"total":0,"results":[${'0,'.repeat(3_900_000)}0]}`);
  expect(await endOf(client.getAddressAssets(ADDRESS))).toMatchObject({
    name: 'ResponseShapeError',
    issues: [{ path: 'results', message: 'expected at most 1,000 elements' }],
  });
});

const anything = z.unknown();

it.each([
  ['', 'nothing'],
  [' \n', 'nothing'],
  ['<html>\n<h1>Sign in</h1>', 'what begins with "<html> <h1>Sign in</h1>"'],
  ['{"a":1}\n{"a":2}', String.raw`what begins with "{\"a\":1} {\"a\":2}"`],
  ['{"half":', String.raw`what begins with "{\"half\":"`],
  ['\u009b2J\u0000NaN', 'what begins with "2J NaN"'],
  ['x'.repeat(100), `what begins with "${'x'.repeat(59)}…"`],
  [`no such key: ${KEY}`, 'what begins with "no such key: [redacted]"'],
])('what is no JSON is no success, whatever the schema takes: %j', async (body, given) => {
  const { client, mock, endOf } = answering(body);
  const issues = [{ path: '', message: `expected JSON, not ${given}` }];
  for (const options of [{ schema: anything }, {}]) {
    const error = await endOf(client.getInfo(options));
    expect(error).toMatchObject({ name: 'ResponseShapeError', status: 200, issues });
  }
  expect(mock.requests).toBe(2);
});

it.each(['null', '0', '""', '\uFEFF{}', ' [] '])('what is JSON is what its schema says of it: %j', async (body) => {
  const { client, endOf } = answering(body);
  expect(await endOf(client.getInfo({ schema: anything }))).toMatchObject({ data: JSON.parse(body.trim()) });
});

it('what is no JSON does not matter to a call that wants no body, or the body as it is', async () => {
  const { client, endOf } = answering('<html>');
  expect(await endOf(client.getInfo({ headersOnly: true }))).toMatchObject({ status: 200 });
  expect(await endOf(client.fetch('/').then((response) => response.text()))).toBe('<html>');
});

it('a body that makes a schema give up is a ResponseShapeError that says why', async () => {
  const { client, endOf } = answering('{}');
  const cause = new RangeError('Maximum call stack size exceeded');
  const validate = (): never => {
    throw cause;
  };
  const schema = { '~standard': { version: 1 as const, vendor: 'test', validate } };
  expect(await endOf(client.getInfo({ schema }))).toMatchObject({
    name: 'ResponseShapeError',
    issues: [{ path: '', message: 'too deep or too large to be checked' }],
    cause,
  });
  expect(client.quota().inFlight).toBe(0);
});
