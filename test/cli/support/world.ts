import { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { BrokenPipeError, type Environment, type Interrupt, type Surface } from '../../../src/cli/environment.ts';
import { run } from '../../../src/cli/main.ts';
import {
  createMockService,
  type MockService,
  type MockServiceOptions,
  virtualClock,
} from '../../../src/testing/index.ts';

// Loaded before any time is virtual: it would run away while the disk is read.
for (const { load } of COMMANDS) await load();

/** The key that the service of a {@link TestWorld} knows. */
export const KEY = 'key-of-the-cli-tests';

export const ACCOUNTS: readonly string[] = [
  'SP3HXJJMJQ06GNAZ8XWDN1QM48JEDC6PP6W3YZPZJ',
  'SP1J1A6PJ50NS54VWAVFGA9C4HS53NAQXZQ07P5TK',
  'SP318Q55DEKHRXJK696033DQN5C54D9K2EE6DHRWP',
];

/** What was written somewhere. */
export interface Page extends Surface {
  text: string;
  /** Without what colours it and moves the cursor. */
  readonly plain: string;
  /** Closes the reader's end. */
  leave(): void;
}

/** A world that is all in this process, its time virtual, with the service at its only address. */
export interface TestWorld extends Environment {
  readonly clock: ReturnType<typeof virtualClock>;
  readonly service: MockService;
  readonly stdout: Page;
  readonly stderr: Page;
  /** Sends the program a signal. */
  interrupt(signal?: Interrupt): void;
  /** Runs the program to its end. */
  run(...argv: readonly string[]): Promise<number>;
}

/** What a test wants to be different. */
export interface WorldOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly service?: MockServiceOptions;
  readonly stdin?: string;
  /** The terminals' width; without one, standard output and error are no terminals. */
  readonly columns?: number;
}

export function worldOf({ env = {}, service: options, stdin = '', columns }: WorldOptions = {}): TestWorld {
  const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 20) });
  const service = createMockService({ clock, keys: [KEY], ...options });
  const listeners = new Set<(interrupt: Interrupt) => void>();
  const world: TestWorld = {
    env: { LANG: 'C.UTF-8', STACKS_API_URL: service.origin, STACKS_API_KEY: KEY, ...env },
    stdin: Readable.from([stdin]),
    stdout: page(columns),
    stderr: page(columns),
    clock,
    service,
    fetch: service.fetch,
    onInterrupt(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    interrupt(signal = 'SIGINT') {
      for (const listener of listeners) listener(signal);
    },
    run: (...argv) => patiently(clock, run(argv, world)),
  };
  return world;
}

/** As the clock runs work, but the disk, from which commands are loaded, may take longer than the clock has patience. */
async function patiently<T>(clock: ReturnType<typeof virtualClock>, work: Promise<T>): Promise<T> {
  for (const end = performance.now() + 20_000; ; ) {
    try {
      return await clock.run(work);
    } catch (error) {
      if (!String(error).includes('stuck') || performance.now() > end) throw error;
    }
  }
}

function page(columns: number | undefined): Page {
  let isLeft = false;
  return {
    text: '',
    get plain() {
      return stripVTControlCharacters(this.text);
    },
    async write(text) {
      if (isLeft) throw new BrokenPipeError();
      this.text += typeof text === 'string' ? text : new TextDecoder().decode(text);
    },
    isTTY: columns !== undefined,
    columns,
    leave() {
      isLeft = true;
    },
  };
}
