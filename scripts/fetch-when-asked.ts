import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/**
 * What ky finds out when it is loaded, by a `Request` and by `FormData`: the first of either loads all of Node's `fetch`. Whatever names
 * a version of Node has both, so that there it is left to the first request to load them.
 */
const FINDINGS = ['supportsRequestStreams', 'supportsFormData'];

/** Makes the ky in `dist` load nothing of Node's `fetch` when the package is imported. */
export const fetchWhenAsked: Plugin = {
  name: 'fetch-when-asked',
  setup(build) {
    build.onLoad({ filter: /\/ky\/distribution\/core\/constants\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8');
      for (const name of FINDINGS) {
        const declared = `export const ${name} = `;
        if (!contents.includes(declared)) throw new Error(`${path} has another ${name}: see ${import.meta.filename}`);
        contents = contents.replace(declared, `${declared}globalThis.process?.versions?.node !== undefined || `);
      }
      return { contents };
    });
  },
};
