import type { ShareStore } from '../../../src/sharing/store/store.ts';

/** A store behind a wire that takes each call there and back: it may be slow, or break. */
export function distant(store: ShareStore, wire: <T>(work: () => Promise<T>) => Promise<unknown>): ShareStore {
  const through = <T>(work: () => Promise<T>): Promise<T> => wire(work) as Promise<T>;
  return {
    take: (ask) => through(() => store.take(ask)),
    share: (version, tell) => through(() => store.share(version, tell)),
    look: (member, version) => through(() => store.look(member, version)),
    endLook: (member) => through(() => store.endLook(member)),
    pause: (ms) => through(() => store.pause(ms)),
    resume: (member) => through(() => store.resume(member)),
    resumed: () => through(() => store.resumed()),
  };
}
