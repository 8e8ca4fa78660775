/** The entry points of the package: what users import, and its source. */
export const ENTRY_POINTS: Readonly<Record<string, string>> = {
  'stacks-quota': 'src/index.ts',
  'stacks-quota/fetch': 'src/client/fetch-client.ts',
  'stacks-quota/local': 'src/local/index.ts',
  'stacks-quota/otel': 'src/otel/index.ts',
  'stacks-quota/prometheus': 'src/prometheus/index.ts',
  'stacks-quota/proxy': 'src/proxy/index.ts',
  'stacks-quota/redis': 'src/redis/index.ts',
  'stacks-quota/sharing': 'src/sharing/index.ts',
  'stacks-quota/testing': 'src/testing/index.ts',
  'stacks-quota/testing/msw': 'src/testing/msw.ts',
};
