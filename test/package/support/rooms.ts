/** The rooms of `src`, from the ground up. One may import from those on the lines above its own, and one way from those beside it. */
const ROOMS = [
  'keep-last',
  'clock | quota | version | did-you-mean',
  'errors | events | share | alarm',
  'validation | sharing',
  'endpoints | trace',
  'http',
  'scheduler | options',
  'bulk | walk | fetch',
  'client',
  'pool',
  'index',
  'redis | local | testing | cli | otel | prometheus | proxy',
];

/** The rooms within a room, in the same way. A room that is not here has none, or they may know each other as they like. */
const INNER_ROOMS: Record<string, readonly string[]> = {
  'src/quota/': [
    'time',
    'headers',
    'admission',
    'usage',
    'recovery | costs',
    'models',
    'limits | share-limit',
    'window',
    'forecast',
    'view | client-wide',
    'pacer',
    'books',
  ],
  'src/quota/window/': [
    'pacing | reserve | sent-in-window | last-reading | passed-charge | larger-charges',
    'shape',
    'others',
    'refusals | backlog-pacing | by-reset',
    'named-window',
    'named-windows | bulk-reserve',
    'windows',
  ],
  'src/http/': [
    'bytes | call | cancellation | deprecation | failure | key-recognition | key-ring | prototype-guard | status',
    'deadline | key-breaker | key-mask | read-body | redaction | redirect | retry-policy',
    'body-stream | transport',
    'attempt',
    'cache',
  ],
  'src/scheduler/': [
    'queue | callers-frames | key-turns | failing-calls | memberships | open-calls | options | retry-budget',
    'outlook | duties | final-error | retries',
    'scheduler',
  ],
  'src/scheduler/queue/': [
    'queue-errors | heap | abort-listeners | pending-call',
    'gate | fair-queue | delays',
    'waiting-call | parked-calls',
    'bounded-calls',
    'call-queue',
  ],
  'src/scheduler/outlook/': ['backlog | recent-estimates', 'queue-outlook', 'estimate'],
  'src/sharing/': [
    'store | sibling-use | fingerprint | share-options',
    'slots',
    'ledger',
    'trips | reason',
    'facts | trial-turn',
    'shortage',
    'trip-schedule',
    'shared-quota',
    'store-share',
    'custom-share',
    'index',
  ],
  'src/sharing/store/': [
    'store | stored-state',
    'checked-store | store-rules | expiring | batches',
    'recent-claims | memory-state | memory-windows | operations',
    'booking | granting',
    'memory-store',
    'text-store',
  ],
  'src/sharing/slots/': [
    'recent-times',
    'timeline',
    'instances',
    'drain',
    'shaped-window',
    'window',
    'windows',
    'slots',
  ],
  'src/sharing/ledger/': [
    'share-reserve | strangers-reserve | unheard-reading | recollection | room',
    'stated-room | book | ask-policy | call-needs | shape-probe',
    'slot-choice',
    'expected-calls',
    'ask-planner',
    'ledger',
  ],
  'src/sharing/trips/': [
    'patience | in-time | notice | standstill | fallback',
    'store-breaker | resumption',
    'trips',
    'absence',
  ],
  'src/sharing/facts/': ['facts | reset-detector | discovery', 'fact-sync'],
  'src/local/': [
    'host-paths | books-file | lines | messages | store-clock',
    'kept-store',
    'host | link',
    'find-host',
    'local-books',
    'local-share | fixed-share',
    'index',
  ],
  'src/testing/': [
    'known-names | latency | limits',
    'rules | clock',
    'routes',
    'headers | edge | log',
    'options',
    'checked-options',
    'settings',
    'refusals | backlog-pacing',
    'gateway',
    'answer',
    'faults | network',
    'exchange | reception',
    'service',
    'msw | share',
    'index',
  ],
  'src/redis/': ['connection | keys | scripts', 'blocks', 'redis-store', 'share', 'index'],
};

/** A folder that has rooms, and the rooms from the ground up, those beside each other together. */
interface House {
  readonly folder: string;
  readonly floors: readonly (readonly string[])[];
}

/** The house, and each room that has rooms of its own. */
export const houses: readonly House[] = Object.entries({ 'src/': ROOMS, ...INNER_ROOMS }).map(([folder, lines]) => ({
  folder,
  floors: lines.map((line) => line.split(' | ')),
}));

/** Of `src/`, `src/quota/pacer.ts` is in `quota` and `src/clock.ts` in `clock`; of `src/quota/` the former is in `pacer`. */
export function roomOf(path: string, folder: string): string {
  const [name = ''] = path.slice(folder.length).split('/');
  return name.replace(/\.ts$/, '');
}
