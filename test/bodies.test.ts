import { expect, it } from 'vitest';
import { createClient } from '../src/client.ts';
import { createMockService, virtualClock } from '../src/testing/index.ts';

const ADDRESS = 'SP3FGQ8Z7JY9BWYZ5WM53E0M9NK7WHJF0691NZ159';

/** A client of a service whose every answer is a 200 with that body. */
function answering(body: string) {
  const clock = virtualClock();
  const mock = createMockService({ clock, keys: [] });
  mock.faults.when(() => ({ status: 200, body }));
  const client = createClient({ baseUrl: mock.origin, fetch: mock.fetch, clock });
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

it('a body that makes a schema give up is a ResponseShapeError that says why', async () => {
  const { client, endOf } = answering('{}');
  const cause = new RangeError('Maximum call stack size exceeded');
  const validate = (): never => {
    throw cause;
  };
  const schema = { '~standard': { version: 1 as const, vendor: 'test', validate } };
  expect(await endOf(client.getInfo({ schema }))).toMatchObject({
    name: 'ResponseShapeError',
    issues: [{ path: '', message: 'expected what its schema can check' }],
    cause,
  });
  expect(client.quota().inFlight).toBe(0);
});
