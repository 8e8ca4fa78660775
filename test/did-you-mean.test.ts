import { describe, expect, it } from 'vitest';
import { didYouMean } from '../src/did-you-mean.ts';

const WORDS = [
  'baseUrl',
  'apiKey',
  'concurrency',
  'maxWaitMs',
  'maxQueueMs',
  'maxWaiting',
  'timeoutMs',
  'low',
  'fetch',
];

describe('the word that was meant', () => {
  it.each([
    ['baseURL', 'baseUrl'],
    ['apikey', 'apiKey'],
    ['concurency', 'concurrency'],
    ['concurrrency', 'concurrency'],
    ['conucrrency', 'concurrency'],
    ['conqurrenzy', 'concurrency'],
    ['maxWaitms', 'maxWaitMs'],
    ['maxWait', 'maxWaitMs'],
    ['timeout', 'timeoutMs'],
    ['fethc', 'fetch'],
  ])('by %s is %s', (word, meant) => {
    expect(didYouMean(word, WORDS)).toBe(` Did you mean ${meant}?`);
  });

  it.each(['conkurrenzi', 'ab', 'ti', 'lo w x', 'retries', ''])('is unknown where none is close: "%s"', (word) => {
    expect(didYouMean(word, WORDS)).toBe('');
  });

  it('is the closest of several', () => {
    expect(didYouMean('pagen', ['pane', 'pages', 'page'])).toBe(' Did you mean pages?');
    expect(didYouMean('page', ['pages', 'page'])).toBe(' Did you mean page?');
  });
});
