import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSources, type Source } from './source.ts';

/** The rooms, from the ground up. One may know those on the lines above its own and beside it, never below. */
const ORDER = [
  'clock | quota',
  'share | errors | retry | events',
  'sharing',
  'scheduler + attempt + line + gate + standing + siding + ranked-queue + heap + aborts + census + journey + story + channels + queue + call + deadline + defeat + redirect + streamed-body + economy + etags + shared-gets | transport + redaction + lockout + planted | endpoints + address + bodies + arguments + own + endpoint-name',
  'options + access + sparing + fetch-options',
  'outlook | walk + place | bulk + bulk-options + bulk-progress + intake',
  'client + contract + month + door',
  'index',
  'redis | testing | cli | otel',
];

/** What the rules of quota must never touch: no clock, timer, promise, randomness or environment. */
const IMPURE = [
  ...['Date.now', 'new Date()', 'performance', 'process', 'globalThis', 'fetch'],
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'Math.random', 'crypto'],
  ...['Promise', 'async'],
];

/** The files, or the folder, that may know a package, and how many of them at most. */
const OWNERS: Record<string, { readonly of: readonly string[]; readonly atMost: number }> = {
  ky: { of: ['src/transport.ts'], atMost: 1 },
  'p-queue': { of: ['src/scheduler.ts', 'src/line.ts'], atMost: 1 },
  zod: { of: ['src/options.ts', 'src/arguments.ts', 'src/endpoints.ts', 'src/bodies.ts'], atMost: 4 },
  c32check: { of: ['src/address.ts'], atMost: 1 },
  msw: { of: ['src/testing/'], atMost: 1 },
  '@opentelemetry/api': { of: ['src/otel/'], atMost: 3 },
  redis: { of: ['src/redis/'], atMost: 1 },
  'node:': { of: ['src/testing/', 'src/redis/', 'src/cli/'], atMost: Infinity },
};

/** Text of the wire that one file alone may spell. The mock keeps its own spelling, so that a mistake cannot hide on both sides. */
const SPELLINGS = [
  { what: /^x-api-key$/i, of: 'src/transport.ts' },
  { what: /^(retry-after|(x-)?ratelimit(-[a-z-]*)?)$/i, of: 'src/quota/snapshot.ts' },
];

/** Words that a name may not have, with what the project calls the thing instead. */
const AVOIDED: Record<string, string> = {
  token: 'unit, or lease',
  bucket: 'window',
  points: 'units',
  throttle: 'pace, hold or wait',
  manager: 'the thing it does',
  helper: 'the thing it does',
  handler: 'the thing it does',
  data: 'what it holds',
  context: 'what it holds',
};

/** Names that may have such a word after all: the body of an answer, the tokens of the chain, MSW's handlers, OpenTelemetry's contexts and bounds. */
const KEPT = [
  { name: /^data$/i, in: 'src/' },
  { name: /fungible_?token/i, in: 'src/' },
  { name: /^TOKEN$/, in: 'src/testing/asset-events.ts' },
  { name: /handlers?$/i, in: 'src/testing/' },
  { name: /^(context|explicitBucketBoundaries)$/i, in: 'src/otel/' },
];

/** A folder is a boundary and a file an idea; these name neither. */
const CATEGORIES = ['util', 'utils', 'type', 'types', 'helper', 'helpers', 'common', 'misc'];

const LONGEST = 300;

const sources = readSources();
const inFolder = (folder: string): readonly Source[] => sources.filter(({ path }) => path.startsWith(folder));
const floors = ORDER.map((line) => line.split(/ [|+] /));
const rooms = ORDER.flatMap((line) => line.split(' | ').map((room) => room.split(' + ')));

/** `src/quota/pacer.ts` is in `quota`; `src/line.ts` is in `scheduler`. */
function roomOf(path: string): string | undefined {
  const [, name = ''] = /^src\/([^/]+?)(?:\.ts|\/.*)$/.exec(path) ?? [];
  return rooms.find((files) => files.includes(name))?.[0];
}

function heightOf(path: string): number {
  const room = roomOf(path);
  return floors.findIndex((floor) => room !== undefined && floor.includes(room));
}

describe('the rooms', () => {
  it('are all there is: every source file is in one', () => {
    expect(sources.map(({ path }) => path)).toContain('src/clock.ts');
    expect(sources.filter(({ path }) => !roomOf(path)).map(({ path }) => `${path} has no place in ORDER`)).toEqual([]);
  });

  it('import one way: never from a room further down', () => {
    const wrong = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => from.startsWith('src/') && heightOf(from) > heightOf(path))
        .map(({ from }) => `${path} imports ${from}: ${roomOf(path)} comes before ${roomOf(from)}`),
    );
    expect(wrong).toEqual([]);
  });

  it('beside each other import one way too: two rooms never know each other', () => {
    const ways = new Set(
      sources.flatMap(({ path, imports }) => imports.map(({ from }) => `${roomOf(path)} and ${roomOf(from)}`)),
    );
    const both = [...ways].filter((way) => {
      const [one, other] = way.split(' and ');
      return one !== other && ways.has(`${other} and ${one}`);
    });
    expect(both).toEqual([]);
  });

  it('keep testing apart from the client: of it the mock knows the type of the clock alone', () => {
    const wrong = inFolder('src/testing/').flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => from.startsWith('src/') && !from.startsWith('src/testing/'))
        .filter(({ from, typeOnly }) => from !== 'src/clock.ts' || !typeOnly)
        .map(({ from }) => `${path} imports ${from}`),
    );
    expect(wrong).toEqual([]);
  });

  it('show the public names one by one: nothing exports all of another file', () => {
    expect(sources.filter((source) => source.exports.includes('*')).map(({ path }) => path)).toEqual([]);
  });
});

describe('the rules of quota', () => {
  it('import nothing from outside their folder', () => {
    const wrong = inFolder('src/quota/').flatMap(({ path, imports }) =>
      imports.filter(({ from }) => !from.startsWith('src/quota/')).map(({ from }) => `${path} imports ${from}`),
    );
    expect(wrong).toEqual([]);
  });

  it('are pure: time, chance and the world are arguments', () => {
    const wrong = inFolder('src/quota/').flatMap(({ path, phrases }) =>
      IMPURE.filter((phrase) => phrases.has(phrase)).map((phrase) => `${path} uses ${phrase}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe('each package', () => {
  const users = (name: string): readonly string[] =>
    sources.filter(({ imports }) => imports.some(({ from }) => from === name)).map(({ path }) => path);

  const names = new Set(sources.flatMap(({ imports }) => imports.map(({ from }) => from)));
  const packages = [...names].filter((name) => !name.startsWith('src/'));

  it('is imported by its owner alone', () => {
    const wrong = packages.flatMap((name) =>
      users(name)
        .filter((path) => !OWNERS[name]?.of.some((owner) => path.startsWith(owner)))
        .map((path) => `${path} imports ${name}, which belongs to ${OWNERS[name]?.of.join(' or ') ?? 'nobody yet'}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has no more owners than it needs', () => {
    const wrong = packages
      .filter((name) => users(name).length > (OWNERS[name]?.atMost ?? 0))
      .map((name) => `${name} is imported by ${users(name).join(' and ')}`);
    expect(wrong).toEqual([]);
  });
});

describe('the words', () => {
  it('of the wire are spelt in one place each', () => {
    const mock = ['src/testing/', 'src/cli/mock/'];
    const client = sources.filter(({ path }) => !mock.some((folder) => path.startsWith(folder)));
    const wrong = SPELLINGS.flatMap(({ what, of }) =>
      client
        .filter(({ path }) => path !== of)
        .flatMap(({ path, texts }) => texts.filter((text) => what.test(text)).map((text) => `${path} spells ${text}`)),
    );
    expect(wrong).toEqual([]);
  });

  it('in names are those of the design', () => {
    const wrong = sources.flatMap(({ path, names }) =>
      names
        .filter((name) => !KEPT.some((kept) => path.startsWith(kept.in) && kept.name.test(name)))
        .flatMap((name) => avoidedIn(name).map((word) => `${path}: ${name} says ${word}; say ${AVOIDED[word]}`)),
    );
    expect(wrong).toEqual([]);
  });

  it('for files and folders name ideas, not categories', () => {
    const places = globSync('{src,test,examples,bench,scripts}/**');
    expect(places.filter((place) => CATEGORIES.includes(basename(place).replace(/\..*/, '')))).toEqual([]);
  });
});

/** The avoided words in a name, in the singular or the plural: `requestDataSource` has `data`, `endpoints` has none. */
function avoidedIn(name: string): string[] {
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_/).map((word) => word.toLowerCase());
  return Object.keys(AVOIDED).filter((avoided) => words.some((word) => word === avoided || word === `${avoided}s`));
}

it(`no source file has more than ${LONGEST} lines of code: one that has, is missing a name for one of its ideas`, () => {
  expect(sources.filter(({ lines }) => lines > LONGEST).map(({ path, lines }) => `${path}: ${lines}`)).toEqual([]);
});
