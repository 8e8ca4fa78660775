import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENTRY_POINTS } from '../../scripts/entry-points.ts';
import { readSources } from './support/source.ts';

/** Text of the wire that one file alone may spell. The mock keeps its own spelling, so that a mistake cannot hide on both sides. */
const SPELLINGS = [
  { what: /^x-api-key$/i, of: 'src/http/transport.ts' },
  { what: /^(retry-after|(x-)?ratelimit(-[a-z-]*)?)$/i, of: 'src/quota/headers/snapshot.ts' },
];

/** Words that a name may not have, with what the project calls the thing instead. */
const AVOIDED: Record<string, string> = {
  token: 'unit, or lease',
  points: 'units',
  throttle: 'pace, hold or wait',
  manager: 'the thing it does',
  helper: 'the thing it does',
  data: 'what it holds',
};

/** Names that may have such a word after all: the body of an answer, the tokens of the chain, and the one that a proxy asks for. */
const KEPT = [
  { name: /token/i, in: 'src/proxy/' },
  { name: /token/i, in: 'src/cli/proxy/' },
  { name: /^token$/, in: 'src/cli/error-message.ts' },
  { name: /^data$/i, in: 'src/' },
  { name: /fungible_?token/i, in: 'src/' },
  { name: /^TOKEN$/, in: 'src/testing/routes/asset-events.ts' },
];

/** A folder is a boundary and a file an idea; these name neither. */
const CATEGORIES = ['util', 'utils', 'type', 'types', 'helper', 'helpers', 'common', 'misc'];

const sources = readSources();

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

  it('for types are used once: no two exported types have one name', () => {
    // Entry points export types of other files.
    const own = sources.filter(({ path }) => !Object.values(ENTRY_POINTS).includes(path));
    const types = own.flatMap(({ exports }) => exports.filter((name) => name.startsWith('type ')));
    expect(types.filter((type, index) => types.indexOf(type) !== index)).toEqual([]);
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
