/**
 * Shares of a quota without Redis: the processes of one machine, or a fixed part.
 *
 * @module stacks-quota/local
 */

export { fixedShare } from './fixed-share.ts';
export { type LocalShareOptions, localShare } from './local-share.ts';
