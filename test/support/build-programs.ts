import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { build } from 'esbuild';
import { ENTRY_POINTS } from '../../scripts/entry-points.ts';
import { PROGRAMS } from './programs.ts';

/** What no run has built for so long is used by none that is still under way, in milliseconds. */
const UNUSED_MS = 24 * 3_600_000;

/**
 * Builds, once a run, what tests start in processes of their own: to find, strip and load hundreds of files is most of what a short
 * program does. Files change at once, and only if they differ, so that another run beside this one never finds half of one, nor misses
 * one: only what no run has built for a day is removed.
 */
export async function setup(): Promise<void> {
  const now = new Date();
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
    if (existsSync(path) && readFileSync(path, 'utf8') === text) utimesSync(path, now, now);
    else {
      writeFileSync(`${path}.${process.pid}`, text);
      renameSync(`${path}.${process.pid}`, path);
    }
  }
  for (const path of globSync(`${PROGRAMS}/**/*.js*`))
    if (now.getTime() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > UNUSED_MS)
      rmSync(path, { force: true });
  // The command line reads its version from it, and Node that these files are modules.
  copyFileSync('package.json', `${PROGRAMS}/package.json`);
}
