import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addressAssetsBody } from '../../src/endpoints/body-check.ts';
import { addressAssetsShape } from '../../src/endpoints/schemas.ts';
import { completePage } from '../../src/endpoints/well-formed.ts';

/** What a field may hold, right or wrong. */
const amount = fc.constantFrom<unknown>('0', '12', 5, 2 ** 53, -1, 1.5, '-1', '', '1e3', null, undefined, {});
const party = fc.constantFrom<unknown>('SP1', '', null, undefined, 7, {});
const text = fc.constantFrom<unknown>('words', '', 7, null, undefined);
const integer = fc.constantFrom<unknown>(0, 9, -1, 1.5, 2 ** 53, '1', null, undefined);

/** Mostly `right`, so that a whole page has a chance to be. */
const mostly = <T>(right: T, any: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant<unknown>(right) }, { weight: 1, arbitrary: any });

const moved = {
  asset_event_type: mostly('transfer', text),
  sender: fc.oneof(mostly('SP1', party), fc.constant(null)),
  recipient: mostly('SP2', party),
};
const value = mostly({ hex: '0x', repr: 'u1', more: 1 }, fc.record({ hex: text, repr: text }));
const asset = fc.record(
  {
    ...moved,
    asset_id: mostly('SP3.c::t', text),
    amount: fc.oneof(mostly('1', amount), fc.constant(1)),
    memo: mostly('0x', text),
    value,
    more: fc.constant([1]),
  },
  { requiredKeys: ['asset_event_type', 'asset_id', 'amount', 'value'] },
);
const lock = fc.record(
  {
    locked_amount: fc.oneof(mostly('1', amount), fc.constant(1)),
    unlock_height: mostly(3, integer),
    locked_address: mostly('SP1', party),
  },
  { requiredKeys: ['locked_amount', 'unlock_height'] },
);
const types = ['stx_asset', 'fungible_token_asset', 'non_fungible_token_asset', 'stx_lock', 'new', 'toString'];
const event = fc.record(
  {
    event_index: mostly(1, integer),
    event_type: fc.constantFrom<unknown>(...types, ...types, ...types, 7),
    tx_id: mostly('0xaa', text),
    asset: mostly({ ...{ asset_event_type: 'mint', asset_id: 'a', amount: 3, value: { hex: '', repr: '' } } }, asset),
    stx_lock_event: fc.oneof(lock, fc.constant(null)),
    more: fc.constant({ deep: [] }),
  },
  { requiredKeys: ['event_index', 'event_type', 'tx_id', 'asset', 'stx_lock_event'] },
);
const page = fc.record({
  limit: mostly(20, integer),
  offset: mostly(0, integer),
  total: mostly(1, integer),
  results: fc.oneof(fc.array(fc.oneof({ weight: 9, arbitrary: event }, asset), { maxLength: 3 }), fc.constant({})),
});

it('a page is well-formed where its schema says so, and then has become what the schema makes of it', async () => {
  let wellFormed = 0;
  await fc.assert(
    fc.asyncProperty(page, async (given) => {
      // As it is read from JSON, and each has its own.
      const text = JSON.stringify(given);
      const bySchema = addressAssetsShape['~standard'].validate(JSON.parse(text));
      const body = JSON.parse(text);
      const isWellFormed = completePage(body);
      if (isWellFormed) wellFormed++;
      expect(isWellFormed).toBe(!('issues' in bySchema && bySchema.issues));
      if (isWellFormed) expect({ value: body }).toEqual(bySchema);
      expect(await addressAssetsBody['~standard'].validate(JSON.parse(text))).toEqual(bySchema);
    }),
    { numRuns: 3_000 },
  );
  expect(wellFormed).toBeGreaterThan(300);
});

it('what would give an object another prototype is left to the schema', () => {
  expect(completePage(JSON.parse('{"limit":1,"offset":0,"total":0,"results":[],"__proto__":{}}'))).toBe(false);
});
