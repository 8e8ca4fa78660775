import { defineConfig } from 'tsup';

const library = {
  index: 'src/index.ts',
  fetch: 'src/client/fetch-client.ts',
  local: 'src/local/index.ts',
  otel: 'src/otel/index.ts',
  prometheus: 'src/prometheus/index.ts',
  proxy: 'src/proxy/index.ts',
  redis: 'src/redis/index.ts',
  sharing: 'src/sharing/index.ts',
  testing: 'src/testing/index.ts',
  'testing/msw': 'src/testing/msw.ts',
};

export default defineConfig({
  entry: { ...library, cli: 'src/cli/bin.ts' },
  format: ['esm'],
  target: 'node22',
  platform: 'node',
  // Nobody imports the command line.
  dts: { entry: library },
  clean: true,
  removeNodeProtocol: false,
  external: ['msw', '@opentelemetry/api', 'redis'],
});
