import { createRequire } from 'node:module';
import type { Command } from './command.ts';
import type { Environment, Surface } from './environment.ts';
import { describeError } from './error-message.ts';
import { EXIT, Interrupted, UsageError } from './exit.ts';

/** Loaded only when they are asked for: who looks at the quota needs no mock. */
const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['quota', async () => (await import('./quota/command.ts')).quotaCommand],
  ['info', async () => (await import('./info/command.ts')).infoCommand],
  ['assets', async () => (await import('./assets/command.ts')).assetsCommand],
  ['mock', async () => (await import('./mock/command.ts')).mockCommand],
]);

const HELP = `Calls the Stacks API as fast as its quota allows, and never makes it say no.

  stacks-quota quota                  what is left of each window, and when it is back
  stacks-quota info                   what the service says of itself
  stacks-quota assets ADDRESS…        asset events of accounts, a line of JSON for each account
  stacks-quota mock                   a service to try all this on, on a port of this machine
  stacks-quota COMMAND --help         more of a command

The key is in the environment variable STACKS_API_KEY, or in a file (--key-file FILE); without one,
calls go without a key. It is no flag, because every user of a machine can see the flags of its
programs. STACKS_API_URL, or --url URL, says where the service is. Results go to standard output
and all else to standard error; NO_COLOR=1 takes the colours off.

Ends with
  0    done
  1    the service, the network or the disk failed
  2    the command line, or what it names, cannot be used; nothing was sent
  3    a window has less left than --fail-under wants
  4    the quota is out; the message says when to come back
  130  ended by Ctrl-C (129 by SIGHUP, 143 by SIGTERM), and 141 when nobody reads the output any more

Try it without a key and without a network:
  stacks-quota mock --port 4000 --limit minute=100
  STACKS_API_URL=http://127.0.0.1:4000 stacks-quota quota`;

/**
 * The whole program: from its arguments to what it ends with. Never fails.
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
    // Nobody may be there to read it, and that changes nothing.
    if (sentence !== undefined) await world.stderr.write(`${sentence}${hint}\n`).catch(() => {});
    return code;
  } finally {
    deafen();
  }
}

async function dispatch(argv: readonly string[], world: Environment, stop: AbortSignal): Promise<number> {
  const [first, ...rest] = argv;
  if (first === undefined) throw new UsageError('What is to be done? It is quota, info, assets or mock.');
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
  throw new UsageError(`There is no command ${JSON.stringify(name.slice(0, 40))}, but there are ${commands}.`);
}

async function say({ stdout }: Environment, text: string): Promise<number> {
  await stdout.write(`${text}\n`);
  return EXIT.ok;
}

/** Standard error without the key, should somebody have put it where an address or a time belongs. */
function redacting({ stderr, env }: Environment): Surface {
  const key = env.STACKS_API_KEY ?? '';
  // What is shorter is no key that the service gave, and may be a part of any word.
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

/** By the package's own name, because from here it lies elsewhere in the source than in what is built of it. */
function versionOf(): string {
  return createRequire(import.meta.url)('stacks-quota/package.json').version;
}
