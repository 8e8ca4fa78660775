import { createRequire } from 'node:module';
import type { Command } from './command.ts';
import type { Environment, Surface } from './environment.ts';
import { describeError } from './error-message.ts';
import { EXIT, Interrupted, UsageError } from './exit.ts';

/** Commands are imported on demand: `quota` needs no mock. */
const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['quota', async () => (await import('./quota/command.ts')).quotaCommand],
  ['info', async () => (await import('./info/command.ts')).infoCommand],
  ['assets', async () => (await import('./assets/command.ts')).assetsCommand],
  ['mock', async () => (await import('./mock/command.ts')).mockCommand],
]);

const HELP = `Calls the Stacks API as fast as its rate limits allow, without 429s.

  stacks-quota quota                  what remains of each window, and when it resets
  stacks-quota info                   status of the service
  stacks-quota assets ADDRESS…        asset events of accounts, one line of JSON per account
  stacks-quota mock                   a mock of the service on a port of this machine
  stacks-quota COMMAND --help         help for a command

The key is read from the environment variable STACKS_API_KEY or from a file (--key-file FILE); without
one, calls are made without a key. It cannot be a flag, because every user of a machine can see command
lines. STACKS_API_URL, or --url URL, is the URL of the service. Results go to standard output,
everything else to standard error; NO_COLOR=1 turns colours off.

Exit codes
  0    success
  1    the service, the network or the disk failed
  2    invalid command line, or an unusable file; nothing was sent
  3    a window has less left than --fail-under demands
  4    the quota is exhausted; the message says when to retry
  130  ended by Ctrl-C (129 by SIGHUP, 143 by SIGTERM); 141: the reader of the output has closed it

Try it without a key and without a network:
  stacks-quota mock --port 4000 --limit minute=100
  STACKS_API_URL=http://127.0.0.1:4000 stacks-quota quota`;

/**
 * Runs the program and resolves to its exit code. Never rejects.
 *
 * @param argv - the arguments, without those that name Node and the program.
 */
export async function run(argv: readonly string[], given: Environment): Promise<number> {
  const world = { ...given, stderr: redacting(given) };
  const stop = new AbortController();
  const deafen = world.onInterrupt((interrupt) => stop.abort(new Interrupted(interrupt)));
  try {
    return await dispatch(argv, world, stop.signal);
  } catch (error) {
    const { code, sentence } = describeError(error, world.clock.wall());
    const hint = code === EXIT.usage ? `\nTry: ${tryOf(argv)}` : '';
    // Standard error may be closed; the exit code stays the same.
    if (sentence !== undefined) await world.stderr.write(`${sentence}${hint}\n`).catch(() => {});
    return code;
  } finally {
    deafen();
  }
}

async function dispatch(argv: readonly string[], world: Environment, stop: AbortSignal): Promise<number> {
  const [first, ...rest] = argv;
  if (first === undefined) throw new UsageError('Missing command: quota, info, assets or mock.');
  if (first === '--version' || first === '-v') return say(world, versionOf());
  if (isHelp(first) || first === 'help') {
    const topic = rest.find((word) => COMMANDS.has(word));
    return say(world, topic === undefined ? HELP : (await load(topic)).help);
  }
  const command = await load(first);
  const end = rest.indexOf('--');
  if (rest.slice(0, end < 0 ? undefined : end).some(isHelp)) return say(world, command.help);
  return command.run(rest, world, stop);
}

function load(name: string): Promise<Command> {
  const command = COMMANDS.get(name);
  if (command) return command();
  const commands = [...COMMANDS.keys()].join(', ');
  throw new UsageError(`Unknown command ${JSON.stringify(name.slice(0, 40))}. Commands: ${commands}.`);
}

async function say({ stdout }: Environment, text: string): Promise<number> {
  await stdout.write(`${text}\n`);
  return EXIT.ok;
}

/** Standard error with the key redacted, in case it was passed by mistake, for example as an address. */
function redacting({ stderr, env }: Environment): Surface {
  const key = env.STACKS_API_KEY ?? '';
  // Shorter values are no real keys, and may be part of any word.
  if (key.length < 8) return stderr;
  return {
    write: (text) => stderr.write(text.replaceAll(key, '[redacted]')),
    isTTY: stderr.isTTY,
    get columns() {
      return stderr.columns;
    },
  };
}

function isHelp(text: string): boolean {
  return text === '--help' || text === '-h';
}

function tryOf([first = '']: readonly string[]): string {
  return COMMANDS.has(first) ? `stacks-quota ${first} --help` : 'stacks-quota --help';
}

/** Resolved by the package's own name, because the relative path differs between source and build. */
function versionOf(): string {
  return createRequire(import.meta.url)('stacks-quota/package.json').version;
}
