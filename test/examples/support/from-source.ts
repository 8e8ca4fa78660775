/** Loaded before an example, lets it import the package by name from its source, as if it were built. */
import { registerHooks } from 'node:module';

const SOURCES: Readonly<Record<string, URL>> = {
  'stacks-quota': new URL('../../../src/index.ts', import.meta.url),
  'stacks-quota/otel': new URL('../../../src/otel/index.ts', import.meta.url),
  'stacks-quota/local': new URL('../../../src/local/index.ts', import.meta.url),
  'stacks-quota/prometheus': new URL('../../../src/prometheus/index.ts', import.meta.url),
  'stacks-quota/proxy': new URL('../../../src/proxy/index.ts', import.meta.url),
  'stacks-quota/sharing': new URL('../../../src/sharing/index.ts', import.meta.url),
  'stacks-quota/redis': new URL('../../../src/redis/index.ts', import.meta.url),
  'stacks-quota/testing': new URL('../../../src/testing/index.ts', import.meta.url),
};

registerHooks({
  resolve(specifier, place, next) {
    const source = SOURCES[specifier];
    return source ? { url: source.href, shortCircuit: true } : next(specifier, place);
  },
});
