import { readFileSync, writeFileSync } from 'node:fs';
import type { Row } from './row.ts';

/** A line of the README's table: versions of a runtime that were tried, unless it has a name instead, and what users have to know. */
interface Line {
  readonly title: string;
  readonly runtime: string;
  readonly as?: string;
  readonly note: string;
}

const LINES: readonly Line[] = [
  {
    title: 'Node',
    runtime: 'Node',
    note: '`import` and `require`; below 22.12 `createClient` throws a `ConfigError` that says so',
  },
  { title: 'Bun', runtime: 'Bun', note: '`import` and `require`' },
  { title: 'Deno', runtime: 'Deno', note: 'with `--allow-net`; a key from the environment needs `--allow-env`' },
  {
    title: 'Browser',
    runtime: 'Chromium',
    as: 'Chromium',
    note: 'without a key; if the service exposes its quota headers',
  },
  {
    title: 'Cloudflare Workers',
    runtime: 'workerd',
    as: 'workerd',
    note: 'in a [Durable Object](docs/recipes.md#serverless-platforms), or a client for each request',
  },
  {
    title: 'AWS Lambda',
    runtime: 'AWS Lambda',
    as: 'a double',
    note: 'of its runtime interface that stops the process between invocations: [create the client outside the function](docs/recipes.md#serverless-platforms)',
  },
  {
    title: 'Jest',
    runtime: 'Jest',
    note: 'on Node 24 with `NODE_OPTIONS=--experimental-vm-modules`, in ES modules and CommonJS',
  },
  {
    title: 'TypeScript',
    runtime: 'TypeScript',
    note: 'also with `skipLibCheck: false`; in a CommonJS package from 5.8 on',
  },
];

const MARKED = /(<!-- runtimes -->\n)[\s\S]*?(<!-- \/runtimes -->)/;

/** The README with its table of runtimes made from these rows. */
function withTable(readme: string, rows: readonly Row[]): string {
  const lines = LINES.map(({ title, runtime, as, note }) => {
    const right = rows.filter((row) => row.runtime === runtime && row.isRight);
    const versions = [...new Set(right.map(({ version }) => minorOf(version)))];
    return `| ${title} | ${versions.length > 0 ? (as ?? versions.join(', ')) : 'not tried'} | ${note} |\n`;
  });
  return readme.replace(
    MARKED,
    (_, begin, end) => `${begin}| Runtime | Tried | |\n|---|---|---|\n${lines.join('')}${end}`,
  );
}

/** Whether the README has this table. Writes it, if that is asked. */
export function isInReadme(rows: readonly Row[], mayWrite: boolean): boolean {
  const readme = readFileSync('README.md', 'utf8');
  const wanted = withTable(readme, rows);
  if (mayWrite) writeFileSync('README.md', wanted);
  return mayWrite || wanted === readme;
}

function minorOf(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}
