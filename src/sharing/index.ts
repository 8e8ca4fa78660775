/**
 * A share through a store of your own: a database, a file, anything that several processes reach.
 *
 * @module stacks-quota/sharing
 */

export { type CustomShareOptions, customShare } from './custom-share.ts';
export type { StoreOptions } from './share-options.ts';
export type { Answer, Facts, ShareAsk, ShareStore, SlotAsk, WindowAsk, Wish } from './store/store.ts';
export { type TextChange, textStore } from './store/text-store.ts';
