/** Loaded before an example, lets it import the package by name as it was built for the tests. */
import { registerHooks } from 'node:module';

const PROGRAMS = new URL('../../../node_modules/.cache/programs/', import.meta.url);

registerHooks({
  resolve(specifier, place, next) {
    return /^stacks-quota(\/|$)/.test(specifier)
      ? { url: new URL(`${specifier}.js`, PROGRAMS).href, shortCircuit: true }
      : next(specifier, place);
  },
});
