/**
 * What importing the built package costs beside importing ky, p-queue and zod, each in a process of its own, in turn. `npm run
 * bench:import` builds the package first. ky loads Node's `fetch` when it is imported, the package with its first request.
 */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROUNDS = Number(process.argv[2] ?? 31);

const built = (name: string): string => pathToFileURL(resolve(`dist/${name}.js`)).href;

/** What is imported, and what runs after it. */
interface Subject {
  readonly name: string;
  readonly imports: readonly string[];
  readonly after?: string;
}

const SUBJECTS: readonly Subject[] = [
  { name: 'nothing', imports: [] },
  { name: 'stacks-quota', imports: [built('index')] },
  { name: 'stacks-quota, a Request', imports: [built('index')], after: `new Request('http://localhost');` },
  { name: 'stacks-quota/fetch', imports: [built('fetch')] },
  { name: 'ky, p-queue', imports: ['ky', 'p-queue'] },
  { name: 'ky, p-queue, zod', imports: ['ky', 'p-queue', 'zod'] },
];

/** Prints the milliseconds that the imports take, and what runs after them. */
const TIMED = ({ imports, after = '' }: Subject): string => `
  const begin = performance.now();
  ${imports.map((name) => `await import(${JSON.stringify(name)});`).join('\n')}
  ${after}
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
  for (const [index, subject] of SUBJECTS.entries()) times[index]?.push(run(TIMED(subject)));
}

console.log(`| import | modules | ms, median of ${ROUNDS} | of the last, median of the rounds |`);
console.log('|---|---|---|---|');
const last = times.at(-1) ?? [];
for (const [index, { name, imports }] of SUBJECTS.entries()) {
  const own = times[index] ?? [];
  const part = median(own.map((ms, round) => ms / (last[round] ?? Number.NaN)));
  console.log(`| ${name} | ${run(COUNTED(imports))} | ${median(own).toFixed(1)} | ${part.toFixed(2)} |`);
}
