import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ENTRY_POINTS } from '../../scripts/entry-points.ts';
import { houses, roomOf } from './support/rooms.ts';
import { codeLinesOf, readSources, type Source } from './support/source.ts';

/** What the rules of quota must never touch: no clock, timer, promise, randomness or environment. */
const IMPURE = [
  ...['Date.now', 'new Date()', 'performance', 'process', 'globalThis', 'fetch'],
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'Math.random', 'crypto'],
  ...['Promise', 'async'],
];

/** The files, or the folder, that may know a package, and how many of them at most. */
const OWNERS: Record<string, { readonly of: readonly string[]; readonly atMost: number }> = {
  ky: { of: ['src/http/transport.ts'], atMost: 1 },
  'p-queue': { of: ['src/scheduler/queue/call-queue.ts'], atMost: 1 },
  zod: { of: ['src/endpoints/schemas.ts'], atMost: 1 },
  '@noble/hashes': { of: ['src/endpoints/c32.ts'], atMost: 1 },
  msw: { of: ['src/testing/'], atMost: 1 },
  '@opentelemetry/api': { of: ['src/otel/'], atMost: 3 },
  redis: { of: ['src/cli/proxy/'], atMost: 1 },
  'node:': {
    of: ['src/testing/', 'src/redis/', 'src/local/', 'src/sharing/fingerprint.ts', 'src/cli/', 'src/proxy/'],
    atMost: Infinity,
  },
};

/** Lines of code, without comments and blank lines, beyond which a file holds more than one idea. */
const LONG = 300;

const sources = readSources();
const inFolder = (folder: string): readonly Source[] => sources.filter(({ path }) => path.startsWith(folder));

describe.for(houses)('the rooms of $folder', ({ folder, floors }) => {
  const inside = inFolder(folder);
  const heightOf = (path: string): number => floors.findIndex((floor) => floor.includes(roomOf(path, folder)));
  const ways = inside.flatMap(({ path, imports }) =>
    imports.filter(({ from }) => from.startsWith(folder)).map(({ from }) => ({ path, from })),
  );

  it('are all there is: every source file is in one', () => {
    expect(inside).not.toEqual([]);
    expect(inside.filter(({ path }) => heightOf(path) < 0).map(({ path }) => `${path} is in no room`)).toEqual([]);
  });

  it('import one way: never from a room further down', () => {
    const wrong = ways.filter(({ path, from }) => heightOf(from) > heightOf(path));
    expect(wrong.map(({ path, from }) => `${path} imports ${from}`)).toEqual([]);
  });

  it('beside each other import one way too: two rooms never know each other', () => {
    const pairs = new Set(ways.map(({ path, from }) => `${roomOf(path, folder)} and ${roomOf(from, folder)}`));
    const both = [...pairs].filter((pair) => {
      const [one, other] = pair.split(' and ');
      return one !== other && pairs.has(`${other} and ${one}`);
    });
    expect(both).toEqual([]);
  });
});

describe('the rooms', () => {
  it('are drawn as they are: each arrow is an import, and each import of a drawn room goes along the arrows', () => {
    const [, picture = ''] = /graph TD\n([\s\S]*?)```/.exec(readFileSync('docs/architecture.md', 'utf8')) ?? [];
    const arrows = [...picture.matchAll(/^ *(.+) --> (.+)$/gm)].flatMap(([, from = '', to = '']) =>
      from.split(' & ').flatMap((one) => to.split(' & ').map((other) => ({ from: one, to: other }))),
    );
    const drawn = new Set(arrows.flatMap(({ from, to }) => [from, to]));
    const folders = sources.map(({ path }) => path.split('/')).filter(({ length }) => length > 2);
    expect(folders.map(([, folder = '']) => folder).filter((folder) => !drawn.has(folder))).toEqual([]);
    const imports = new Set(
      sources.flatMap(({ path, imports }) =>
        imports
          .filter(({ from }) => from.startsWith('src/'))
          .map(({ from }) => `${roomOf(path, 'src/')} --> ${roomOf(from, 'src/')}`),
      ),
    );
    expect(arrows.map(({ from, to }) => `${from} --> ${to}`).filter((arrow) => !imports.has(arrow))).toEqual([]);
    const below = (room: string): readonly string[] =>
      arrows.filter(({ from }) => from === room).flatMap(({ to }) => [to, ...below(to)]);
    const undrawn = [...imports].filter((arrow) => {
      const [from = '', to = ''] = arrow.split(' --> ');
      return from !== to && drawn.has(from) && drawn.has(to) && !below(from).includes(to);
    });
    expect(undrawn).toEqual([]);
  });

  it('hold no circle: no file imports itself by way of others', () => {
    const importsOf = new Map(sources.map(({ path, imports }) => [path, imports.map(({ from }) => from)]));
    const reached = (path: string, seen: Set<string> = new Set()): Set<string> => {
      for (const from of importsOf.get(path) ?? []) if (!seen.has(from)) reached(from, seen.add(from));
      return seen;
    };
    expect(sources.map(({ path }) => path).filter((path) => reached(path).has(path))).toEqual([]);
  });

  it('keep testing apart from the client: of it the mock knows the types of the clock and of a store alone', () => {
    const wrong = inFolder('src/testing/').flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => from.startsWith('src/') && !from.startsWith('src/testing/'))
        .filter(({ from, typeOnly }) => !['src/clock.ts', 'src/sharing/store/store.ts'].includes(from) || !typeOnly)
        .map(({ from }) => `${path} imports ${from}`),
    );
    expect(wrong).toEqual([]);
  });

  it('keep the command line to what every user may import: the entry points of the package, which version of Node it needs, and what a word was meant to be', () => {
    const wrong = inFolder('src/cli/').flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => from.startsWith('src/') && !from.startsWith('src/cli/'))
        .filter(({ from }) => !Object.values(ENTRY_POINTS).includes(from))
        .map(({ from }) => `${path} imports ${from}`),
    );
    // It says whether this Node can load the entry points at all.
    expect(wrong).toEqual([
      'src/cli/bin.ts imports src/version.ts',
      'src/cli/flags.ts imports src/did-you-mean.ts',
      'src/cli/main.ts imports src/did-you-mean.ts',
    ]);
  });

  it('have the entry points that package.json names', () => {
    const { exports, typesVersions } = JSON.parse(readFileSync('package.json', 'utf8'));
    const names = Object.keys(exports).filter((path) => path !== './package.json');
    expect(names.map((path) => path.replace('.', 'stacks-quota'))).toEqual(Object.keys(ENTRY_POINTS));
    // For TypeScript's `moduleResolution: node10`, which does not know `exports`.
    const byFolder = Object.entries(typesVersions['*']).map(([name, files]) => [`./${name}`, files]);
    const types = names.filter((path) => path !== '.').map((path) => [path, [exports[path].types]]);
    expect(byFolder).toEqual(types);
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

  it('that has an owner is imported by it', () => {
    const unused = Object.keys(OWNERS).filter((name) => !packages.some((other) => other === name));
    expect(unused).toEqual([]);
  });

  it('has no more owners than it needs', () => {
    const wrong = packages
      .filter((name) => users(name).length > (OWNERS[name]?.atMost ?? 0))
      .map((name) => `${name} is imported by ${users(name).join(' and ')}`);
    expect(wrong).toEqual([]);
  });
});

it(`no file has more than ${LONG} lines of code: it would be missing a name for one of its ideas`, () => {
  const isLong = (path: string): boolean => readFileSync(path, 'utf8').split('\n').length > LONG;
  const paths = globSync('{src,test,bench,scripts,examples}/**/*.ts').filter(isLong);
  expect(paths.length).toBeGreaterThan(0);
  const long = paths.map((path) => ({ path, lines: codeLinesOf(path) })).filter(({ lines }) => lines > LONG);
  expect(long).toEqual([]);
});
