import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ENTRY_POINTS } from '../../scripts/entry-points.ts';
import { readComments } from './support/comments.ts';

const comments = readComments();

it('finds the public functions', () => {
  const names = comments.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['createClient', 'isClosed', 'redisShare', 'handlers', 'Client.bulk']));
});

it('every public function has an example in its comment', () => {
  expect(comments.filter(({ examples }) => examples.length === 0).map(({ name }) => name)).toEqual([]);
});

it('every entry point says the name that it is imported by, which the docs site shows', () => {
  const stated = Object.values(ENTRY_POINTS).map((file) => /^ \* @module (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1]);
  expect(stated).toEqual(Object.keys(ENTRY_POINTS));
});
