import { expect, it } from 'vitest';
import { readComments } from './support/comments.ts';

const comments = readComments();

it('finds the public functions', () => {
  const names = comments.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['createClient', 'isClosed', 'redisShare', 'handlers', 'Client.bulk']));
});

it('every public function has an example in its comment', () => {
  expect(comments.filter(({ examples }) => examples.length === 0).map(({ name }) => name)).toEqual([]);
});
