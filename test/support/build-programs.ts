import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { ENTRY_POINTS } from '../../scripts/entry-points.ts';
import { PROGRAMS } from './programs.ts';

/**
 * Builds, once a run, what tests start in processes of their own: to find, strip and load hundreds of files is most of what a short
 * program does. Files change at once, and only if they differ, so that another run beside this one never finds half of one.
 */
export async function setup(): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: {
      ...ENTRY_POINTS,
      cli: 'src/cli/bin.ts',
      worker: 'test/redis/support/worker.ts',
    },
    outdir: PROGRAMS,
    ...{ bundle: true, splitting: true, write: false, format: 'esm', platform: 'node', target: 'node22' },
    external: ['@opentelemetry/api', 'ioredis', 'msw', 'redis'],
  });
  mkdirSync(`${PROGRAMS}/stacks-quota/testing`, { recursive: true });
  for (const { path, text } of outputFiles) {
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
    writeFileSync(`${path}.${process.pid}`, text);
    renameSync(`${path}.${process.pid}`, path);
  }
  // The command line reads its version from it, and Node that these files are modules.
  copyFileSync('package.json', `${PROGRAMS}/package.json`);
}
