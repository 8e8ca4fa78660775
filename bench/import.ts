/**
 * What importing the built package costs beside importing ky, p-queue and zod, each in a process of its own, in turn. `npm run
 * bench:import` builds the package first.
 */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROUNDS = Number(process.argv[2] ?? 31);

const SUBJECTS = [
  { name: 'nothing', imports: [] },
  { name: 'stacks-quota', imports: [pathToFileURL(resolve('dist/index.js')).href] },
  { name: 'stacks-quota/fetch', imports: [pathToFileURL(resolve('dist/fetch.js')).href] },
  { name: 'ky, p-queue', imports: ['ky', 'p-queue'] },
  { name: 'ky, p-queue, zod', imports: ['ky', 'p-queue', 'zod'] },
];

/** Prints the milliseconds that the imports take. */
const TIMED = (imports: readonly string[]): string => `
  const begin = performance.now();
  ${imports.map((name) => `await import(${JSON.stringify(name)});`).join('\n')}
  console.log(performance.now() - begin);`;

/** Prints how many modules the imports load. */
const COUNTED = (imports: readonly string[]): string => `
  import { registerHooks } from 'node:module';
  let modules = 0;
  registerHooks({ load(url, context, next) { modules++; return next(url, context); } });
  ${imports.map((name) => `await import(${JSON.stringify(name)});`).join('\n')}
  console.log(modules);`;

function run(program: string): number {
  return Number(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' }));
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}

const times = SUBJECTS.map(() => [] as number[]);
for (let round = 0; round < ROUNDS; round++) {
  for (const [index, { imports }] of SUBJECTS.entries()) times[index]?.push(run(TIMED(imports)));
}

console.log(`| import | modules | ms, median of ${ROUNDS} | of the last, median of the rounds |`);
console.log('|---|---|---|---|');
const last = times.at(-1) ?? [];
for (const [index, { name, imports }] of SUBJECTS.entries()) {
  const own = times[index] ?? [];
  const part = median(own.map((ms, round) => ms / (last[round] ?? Number.NaN)));
  console.log(`| ${name} | ${run(COUNTED(imports))} | ${median(own).toFixed(1)} | ${part.toFixed(2)} |`);
}
