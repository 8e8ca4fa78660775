import { createRequire } from 'node:module';
import { didYouMean } from '../did-you-mean.ts';
import type { Command } from './command.ts';
import { COMMANDS, commandOf } from './commands.ts';
import type { Environment, Surface } from './environment.ts';
import { describeError } from './error-message.ts';
import { EXIT, Interrupted, UsageError } from './exit.ts';
import { beforeDashes } from './flags.ts';
import { helpText } from './help-page.ts';
import { writeErrors } from './notices.ts';
import { overview } from './overview.ts';
import { hasUtf8, inLocale } from './terminal.ts';

/**
 * Runs the program and resolves to its exit code. Never rejects.
 *
 * @param argv - the arguments, without those that name Node and the program.
 */
export async function run(argv: readonly string[], given: Environment): Promise<number> {
  const world = { ...given, stderr: forPeople(given) };
  const stop = new AbortController();
  const unlisten = world.onInterrupt((interrupt) => stop.abort(new Interrupted(interrupt)));
  try {
    return await dispatch(argv, world, stop.signal);
  } catch (error) {
    const { code, sentences } = describeError(error, world.clock.wall());
    // Standard error may be closed; the exit code stays the same.
    await writeErrors(sentences, world).catch(() => {});
    if (code === EXIT.usage) await world.stderr.write(`Try: ${tryOf(argv)}\n`).catch(() => {});
    return code;
  } finally {
    unlisten();
  }
}

async function dispatch(argv: readonly string[], world: Environment, stop: AbortSignal): Promise<number> {
  const [first, ...rest] = argv;
  if (first === undefined) {
    const names = COMMANDS.map(({ name }) => name);
    throw new UsageError(`Missing command: ${names.slice(0, -1).join(', ')} or ${names.at(-1)}.`);
  }
  if (VERSION.includes(first)) return say(world, versionOf());
  if (isHelp(first) || first === 'help') {
    const topic = rest.find((word) => !word.startsWith('-'));
    return say(world, topic === undefined ? overview() : helpText((await load(topic)).page));
  }
  const command = await load(first);
  if (beforeDashes(rest).some(isHelp)) return say(world, helpText(command.page));
  return command.run(rest, world, stop);
}

function load(name: string): Promise<Command> {
  const command = commandOf(name);
  if (command) return command.load();
  const isFlag = name.startsWith('-');
  const known = isFlag ? ['--help', '--version'] : [...COMMANDS.map((one) => one.name), 'help'];
  const what = isFlag ? 'flag' : 'command';
  throw new UsageError(`Unknown ${what} ${JSON.stringify(name.slice(0, 40))}.${didYouMean(name, known)}`);
}

async function say({ stdout }: Environment, text: string): Promise<number> {
  await stdout.write(`${text}\n`);
  return EXIT.ok;
}

/** Standard error in the characters of the locale, and with the key redacted, in case it was passed by mistake, for example as an address. */
function forPeople({ stderr, env }: Environment): Surface {
  const unicode = hasUtf8(env);
  const key = env.STACKS_API_KEY ?? '';
  // Shorter values are no real keys, and may be part of any word.
  const hasKey = key.length >= 8;
  return {
    write: (text) =>
      stderr.write(inLocale(hasKey ? String(text).replaceAll(key, '[redacted]') : String(text), unicode)),
    isTTY: stderr.isTTY,
    get columns() {
      return stderr.columns;
    },
  };
}

const VERSION = ['--version', '-V', '-v', 'version'];

function isHelp(text: string): boolean {
  return text === '--help' || text === '-h';
}

function tryOf([first = '']: readonly string[]): string {
  return commandOf(first) ? `stacks-quota ${first} --help` : 'stacks-quota --help';
}

/** Resolved by the package's own name, because the relative path differs between source and build. */
function versionOf(): string {
  return createRequire(import.meta.url)('stacks-quota/package.json').version;
}
