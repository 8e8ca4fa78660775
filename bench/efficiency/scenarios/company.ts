import type { ServiceLimits } from '../../../src/testing/index.ts';
import type { Manner, Scenario } from '../scenario.ts';
import { KINDS } from './shapes.ts';

const USUAL: ServiceLimits = { second: 20, minute: 500 };

/** Shapes beside that of the calendar. */
const OTHER_SHAPES = KINDS.filter((kind) => kind !== 'aligned');

/** Other consumers of the same quota. */
export const company: readonly Scenario[] = [
  {
    name: 'others take a quarter',
    promised: 'company',
    isCompared: true,
    limits: USUAL,
    others: { perSecond: 2 },
    bulk: 2_500,
  },
  { name: 'others take half', promised: 'company', limits: USUAL, others: { perSecond: 4.2 }, bulk: 2_500 },
  { name: 'others want 70 %', promised: 'company', limits: { minute: 500 }, others: { perSecond: 6 }, bulk: 2_500 },
  {
    name: 'others come 60 at a time',
    promised: 'company',
    limits: { minute: 500 },
    others: { perSecond: 2, atOnce: 60 },
    bulk: 2_500,
  },
  {
    name: 'keyless behind one address',
    promised: 'company',
    limits: { minute: 50 },
    keyless: true,
    others: { perSecond: 0.3 },
    bulk: 400,
  },
  ...OTHER_SHAPES.map(
    (windows): Scenario => ({
      name: `others take half, ${windows}`,
      promised: 'company',
      limits: USUAL,
      windows,
      others: { perSecond: 4.2 },
      bulk: 1_250,
    }),
  ),
  {
    name: 'others, and refusals are counted',
    promised: 'company',
    limits: USUAL,
    service: { countRefused: true },
    others: { perSecond: 2 },
    bulk: 2_500,
  },
  {
    name: 'others, and 403 with a date',
    promised: 'company',
    limits: USUAL,
    service: { limited: { status: 403, retryAfter: 'date', body: 'html' } },
    others: { perSecond: 2 },
    bulk: 2_500,
  },
  {
    name: 'others, and 503 with nothing',
    promised: 'company',
    limits: USUAL,
    service: { limited: { status: 503, retryAfter: 'none', body: 'empty' } },
    others: { perSecond: 2 },
    bulk: 2_500,
  },
];

const MANNERS: readonly Manner[] = ['steady', 'phases', 'eager', 'backlogged'];

/** What of the minute they want, in per cent. */
const PARTS = [10, 30, 50, 70, 90];

/** Those that run each time: one part of each manner, at both limits of the calendar. */
const USUALLY = /^(steady 30|phases 70|eager 50|backlogged 90) %(, minute)?$/;

/** Other consumers that want a part of the minute, in per cent. */
function strangersIn(
  manner: Manner,
  part: number,
  what: Pick<Scenario, 'limits' | 'windows'>,
  which: string,
): Scenario {
  const name = `${manner} ${part} %${which}`;
  return {
    name: `strangers, ${name}`,
    promised: 'strangers',
    isDeep: !USUALLY.test(name),
    ...what,
    others: { perSecond: (part / 100) * (500 / 60), manner },
    // Some four and a half minutes of what they leave, and more than they leave of one minute unasked.
    bulk: Math.max(675, Math.round(22.5 * (100 - part))),
  };
}

/** Other consumers of each manner, by the part of the minute that they want: at two limits, at that of the minute alone, and in each shape. */
export const strangers: readonly Scenario[] = MANNERS.flatMap((manner) =>
  PARTS.flatMap((part) => [
    strangersIn(manner, part, { limits: USUAL }, ''),
    strangersIn(manner, part, { limits: { minute: 500 } }, ', minute'),
    ...OTHER_SHAPES.map((windows) => strangersIn(manner, part, { limits: USUAL, windows }, `, ${windows}`)),
  ]),
);

const SHAPES = ['aligned', 'sliding-log', 'leaky'] as const;

/** Other consumers of a quota of which only a second is limited, so that nothing tells the rate of all. */
export const seconds: readonly Scenario[] = [4, 10, 20].flatMap((second) =>
  (
    [
      ['a quarter', 0.25, 1],
      ['half', 0.5, 1],
      ['half, 4 at a time', 0.5, 4],
    ] as const
  ).flatMap(([name, part, atOnce]) =>
    SHAPES.map(
      (windows): Scenario => ({
        name: `${second}/s alone, others take ${name}, ${windows}`,
        promised: 'company',
        isDeep: true,
        limits: { second },
        windows,
        others: { perSecond: part * second, atOnce },
        bulk: Math.round(60 * second * (1 - part)),
      }),
    ),
  ),
);

/** Clients with one key that do not communicate. */
export const crowds: readonly Scenario[] = [
  { name: 'two clients', promised: 'crowd', limits: USUAL, clients: 2, bulk: 2_250 },
  { name: 'four clients', promised: 'crowd', isCompared: true, limits: USUAL, clients: 4, bulk: 2_250 },
  ...(
    [
      ['sliding-log', 'sliding-log'],
      ['sliding-log second', { second: 'sliding-log' }],
    ] as const
  ).flatMap(([name, windows]) =>
    [2, 4, 8].map(
      (clients): Scenario => ({
        name: `${clients} clients that do not share, ${name}`,
        promised: 'crowd, sliding',
        isDeep: clients !== 4,
        limits: USUAL,
        windows,
        clients,
        bulk: 2_250,
      }),
    ),
  ),
  ...KINDS.flatMap((second) =>
    KINDS.filter((minute) => minute !== second || !['aligned', 'sliding-log'].includes(minute)).map(
      (minute): Scenario => ({
        name: `4 clients that do not share, ${second} second, ${minute} minute`,
        promised: second === 'sliding-log' || minute === 'sliding-log' ? 'crowd, sliding' : 'crowd',
        isDeep: second !== minute,
        limits: USUAL,
        windows: { second, minute },
        clients: 4,
        bulk: 2_250,
      }),
    ),
  ),
];

/** So many of them with so many calls where nothing else is limited, in each shape. */
function crowdsAlone(name: string, limits: ServiceLimits, bulk: number, sizes: readonly number[]): Scenario[] {
  return sizes.flatMap((clients) =>
    SHAPES.map(
      (windows): Scenario => ({
        name: `${name} alone, ${clients} clients, ${windows}`,
        promised: windows === 'sliding-log' ? 'crowd, sliding' : 'crowd',
        isDeep: true,
        limits,
        windows,
        clients,
        bulk,
      }),
    ),
  );
}

/** The same where only a second, or only a minute, is limited. */
export const crowdsOfOneLimit: readonly Scenario[] = [
  ...crowdsAlone('20/s', { second: 20 }, 1_200, [2, 4, 8, 20]),
  ...crowdsAlone('300/min', { minute: 300 }, 3_150, [2, 4, 8]),
];

/** Urgent calls that arrive during a bulk. */
export const urgent: readonly Scenario[] = [
  {
    name: 'urgent beside a bulk',
    promised: 'urgent',
    isCompared: true,
    limits: { second: 20, minute: 500 },
    bulk: 2_000,
    streams: [{ priority: 10, perSecond: 0.5 }],
  },
  {
    name: 'urgent beside a bulk, 500/min',
    promised: 'urgent',
    limits: { minute: 500 },
    bulk: 2_000,
    streams: [{ priority: 10, perSecond: 1 }],
  },
  {
    name: 'urgent, usual and bulk',
    promised: 'urgent',
    limits: USUAL,
    bulk: 2_000,
    streams: [
      { priority: 10, perSecond: 0.5 },
      { priority: 5, perSecond: 1 },
    ],
  },
  {
    name: 'urgent calls alone',
    promised: 'urgent',
    limits: USUAL,
    bulk: 0,
    streams: [{ priority: 10, perSecond: 4, forMs: 300_000 }],
  },
];
