/**
 * Stands in for `vitest` where its tests run again and again in one process: its own `expect` and `vi`, and a `describe` and `it` that
 * only take note of the tests. A hook for all tests of a group runs before the first of them; what follows all of them never runs.
 */
import { expect, vi } from 'vitest';

type Run = (...given: never[]) => unknown;
type Add = (title: string, run: (context?: unknown) => unknown) => void;

/** The tests of a `describe`, or of a file. */
interface Group {
  readonly name: string;
  readonly parent: Group | undefined;
  readonly before: (() => unknown)[];
  readonly beforeEach: (() => unknown)[];
  readonly afterEach: (() => unknown)[];
}

/** A test that can be run any number of times. */
export interface Test {
  readonly name: string;
  run(): Promise<void>;
}

let group: Group = groupOf('', undefined);
let tests: Test[] = [];
let finished: (() => unknown)[] = [];

/** The tests that a file names while it is loaded. */
export async function testsOf(load: () => Promise<unknown>): Promise<readonly Test[]> {
  group = groupOf('', undefined);
  tests = [];
  await load();
  return tests;
}

export const it: unknown = withConcurrent(withVariants(addTest));
export const test: unknown = it;
export const describe: unknown = withConcurrent(withVariants(addGroup));

export const beforeAll = (run: () => unknown): unknown => group.before.push(run);
export const afterAll = (): void => undefined;
export const beforeEach = (run: () => unknown): unknown => group.beforeEach.push(run);
export const afterEach = (run: () => unknown): unknown => group.afterEach.push(run);
export const onTestFinished = (run: () => unknown): unknown => finished.push(run);
export { expect, vi };

/** What may run at the same time runs one after the other. */
function withConcurrent<T extends object>(variants: T): T {
  return Object.assign(variants, { concurrent: variants });
}

function withVariants(add: Add): Add {
  const pass = (): void => undefined;
  const skip = Object.assign(pass, { each: () => pass, for: () => pass });
  return Object.assign(add, {
    each: (rows: readonly unknown[]) => (title: string, run: Run) => {
      for (const [at, row] of rows.entries())
        add(`${title} #${at}`, () => run(...((Array.isArray(row) ? row : [row]) as never[])));
    },
    for: (rows: readonly unknown[]) => (title: string, run: Run) => {
      for (const [at, row] of rows.entries()) add(`${title} #${at}`, (context) => run(row as never, context as never));
    },
    skipIf: (isSkipped: boolean) => (isSkipped ? skip : add),
    runIf: (isRun: boolean) => (isRun ? add : skip),
  });
}

function groupOf(name: string, parent: Group | undefined): Group {
  return { name, parent, before: [], beforeEach: [], afterEach: [] };
}

function addGroup(title: string, fill: () => unknown): void {
  const outer = group;
  group = groupOf(`${outer.name}${title} `, outer);
  fill();
  group = outer;
}

function addTest(title: string, run: (context?: unknown) => unknown): void {
  const own = group;
  tests.push({
    name: `${own.name}${title}`,
    async run() {
      const path: Group[] = [];
      for (let each: Group | undefined = own; each; each = each.parent) path.unshift(each);
      for (const { before } of path) while (before.length > 0) await before.shift()?.();
      finished = [];
      try {
        for (const { beforeEach } of path) for (const each of beforeEach) await each();
        await run({ onTestFinished, expect });
      } finally {
        for (const { afterEach } of path.toReversed()) for (const each of afterEach) await each();
        for (const each of finished) await each();
        vi.restoreAllMocks();
        vi.unstubAllGlobals();
        vi.unstubAllEnvs();
      }
    },
  });
}
