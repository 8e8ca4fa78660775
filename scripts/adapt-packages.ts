import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** A change of a file of a package that is compiled in: of each of these texts, once. */
interface Adaptation {
  readonly file: RegExp;
  readonly texts: readonly string[];
  readonly change: (text: string) => string;
}

/**
 * What ky finds out when it is loaded, by a `Request` and by `FormData`: the first of either loads all of Node's `fetch`. Whatever names
 * a version of Node has both, so that there it is left to the first request to load them.
 */
const FETCH_WHEN_ASKED: Adaptation = {
  file: /\/ky\/distribution\/core\/constants\.js$/,
  texts: ['export const supportsRequestStreams = ', 'export const supportsFormData = '],
  change: (text) => `${text}globalThis.process?.versions?.node !== undefined || `,
};

/**
 * Modules of Node that p-queue looks up: one when it is loaded, to keep the async context of a task, and one for each queue, to allow
 * many listeners. The turns of the queue need neither, and in the Edge Runtime of Next.js the look itself throws.
 */
const NO_MODULES_OF_NODE: Adaptation = {
  file: /\/p-queue\/dist\/index\.js$/,
  texts: [
    "globalThis.process?.getBuiltinModule?.('node:async_hooks')",
    "globalThis.process?.getBuiltinModule?.('node:events')",
  ],
  change: () => 'undefined',
};

/** Adapts the packages in `dist`. The build fails where another version of a package lacks a text. */
export const adaptPackages: Plugin = {
  name: 'adapt-packages',
  setup(build) {
    for (const { file, texts, change } of [FETCH_WHEN_ASKED, NO_MODULES_OF_NODE]) {
      build.onLoad({ filter: file }, async ({ path }) => {
        let contents = await readFile(path, 'utf8');
        for (const text of texts) {
          if (!contents.includes(text)) throw new Error(`${path} lacks ${text}: see ${import.meta.filename}`);
          contents = contents.replace(text, change(text));
        }
        return { contents };
      });
    }
  },
};
