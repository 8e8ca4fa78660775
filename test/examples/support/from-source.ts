/** Loaded before an example, lets it import the package by name as it was built for the tests. */
import { registerHooks } from 'node:module';
import { builtEntry } from '../../support/programs.ts';

registerHooks({
  resolve(specifier, place, next) {
    return /^stacks-quota(\/|$)/.test(specifier)
      ? { url: builtEntry(specifier), shortCircuit: true }
      : next(specifier, place);
  },
});
