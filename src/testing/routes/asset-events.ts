/** Hashes text to a number, so that an address has the same history in every run. */
export function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  return scramble(state);
}

function scramble(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

const TOKEN = 'SP2C2YFP12AJZB4MABJBAJ55XECVS7E4PMMZ89YZR.arkadiko-token::diko';
const COLLECTION = 'SP3D6PV2ACBPEKYJTCMH7HEN02KP87QSP8KTEH335.megapont-ape-club-nft::Megapont-Ape-Club';

/** The event number `age` of an address, counted from the oldest. The four kinds alternate. */
export function assetEvent(address: string, age: number): Record<string, unknown> {
  const seed = scramble(hash(address) + age);
  const common = { event_index: seed % 8, tx_id: `0x${hex(seed, 64)}` };
  const move = ['transfer', 'mint', 'burn'][(seed >>> 8) % 3];
  const partner = 'SP000000000000000000002Q6VF78';
  const [from, to] = seed % 2 === 0 ? [address, partner] : [partner, address];
  const parties = { sender: move === 'mint' ? '' : from, recipient: move === 'burn' ? '' : to };
  switch ((seed + age) % 4) {
    case 0:
      return {
        ...common,
        event_type: 'stx_asset',
        asset: {
          asset_event_type: move,
          ...parties,
          amount: amount(seed),
          ...(seed % 3 === 0 && { memo: `0x${hex(seed, 68)}` }),
        },
      };
    case 1:
      return {
        ...common,
        event_type: 'fungible_token_asset',
        asset: { asset_event_type: move, asset_id: TOKEN, ...parties, amount: amount(seed) },
      };
    case 2: {
      const value = { hex: `0x01${(seed % 10_000).toString(16).padStart(32, '0')}`, repr: `u${seed % 10_000}` };
      return {
        ...common,
        event_type: 'non_fungible_token_asset',
        asset: { asset_event_type: move, asset_id: COLLECTION, ...parties, value },
      };
    }
    default:
      return {
        ...common,
        event_type: 'stx_lock',
        stx_lock_event: {
          locked_amount: amount(seed),
          unlock_height: 100_000 + (seed % 900_000),
          locked_address: address,
        },
      };
  }
}

/** A decimal string far beyond 2^53, within 128 bits. */
function amount(seed: number): string {
  return `${(seed % 9) + 1}${String(seed).padStart(10, '0')}${String(scramble(seed)).padStart(10, '0')}`;
}

function hex(seed: number, digits: number): string {
  let text = '';
  for (let state = seed; text.length < digits; ) {
    state = scramble(state + 0x9e3779b9);
    text += state.toString(16).padStart(8, '0');
  }
  return text.slice(0, digits);
}
