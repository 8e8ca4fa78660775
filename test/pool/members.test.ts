import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { poolAccessOf } from '../../src/client/pool-access.ts';
import { type ClientOptions, createClient, createPool, isConfigError } from '../../src/index.ts';
import { PLANS, world } from './support/two-keys.ts';

const ADDRESS = 'SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZJ';

describe('a pool', () => {
  it('binds keys to priorities', async () => {
    const { clock, pool, requests } = world(PLANS, { bound: [{ minPriority: 1 }, { maxPriority: 0 }] });
    const urgent = Array.from({ length: 7 }, () => pool.getInfo({ priority: 5 }));
    const bulk = Array.from({ length: 30 }, () => pool.getAddressAssets(ADDRESS, { priority: -1 }));
    await clock.run(Promise.all([...urgent, ...bulk]));
    expect(requests()).toEqual([7, 30]);
    await expect(pool.getInfo({ priority: 0.5 })).rejects.toSatisfy(isConfigError);
  });

  it.for([[[]], [['a-key']], [[{ client: 'a-key' }]], [undefined], [[{ minPriority: 1 }]]])('refuses %j', ([given]) => {
    expect(() => createPool(given as never)).toThrow(/client|pool/);
  });

  it('refuses a client twice, and one that would take no call', () => {
    const client = createClient();
    expect(() => createPool([client, { client, minPriority: 1 }])).toThrow('clients must not hold a client, or');
    expect(() => createPool(['a-key'] as never)).toThrow(
      'clients must hold clients that createClient has made, not string',
    );
    expect(() => createPool([])).toThrow('clients must be a list of one or more clients');
    expect(() => createPool([{ client, minPriority: 1, maxPriority: 0 }])).toThrow(
      'maxPriority must be at least minPriority (1), not 0',
    );
  });

  it('knows clients by no object that shows a key', () => {
    const client = createClient({ baseUrl: 'https://api.test', apiKey: 'a-key-of-its-own' });
    const { bulk, queue, ...rest } = poolAccessOf(client) ?? {};
    expect(rest).not.toEqual({});
    expect(inspect({ bulk, queue, ...rest }, { depth: 9, showHidden: true })).not.toContain('a-key-of-its-own');
  });

  it('refuses a key twice for one service, whose quota would be counted twice', () => {
    const of = (options: ClientOptions) => createClient({ baseUrl: 'https://api.test/a', apiKey: 'a-key', ...options });
    const problem = 'clients must not hold a client, or its key, twice: the quota would count twice';
    expect(() => createPool([of({}), of({ baseUrl: 'https://api.test/b' })])).toThrow(problem);
    expect(() => createPool([of({}), { client: of({}), minPriority: 1 }])).toThrow(problem);
    const others = [{ apiKey: 'b-key' }, { baseUrl: 'https://other.test' }, { apiKey: () => 'a-key' }];
    expect(createPool([of({}), ...others.map(of)]).clients).toHaveLength(4);
  });
});
