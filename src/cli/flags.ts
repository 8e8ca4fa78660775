import { readFile } from 'node:fs/promises';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { didYouMean } from '../did-you-mean.ts';
import { UsageError } from './exit.ts';

/** A flag of a command: how it is read, shown in the help and completed. */
export interface Flag {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** The name of its value in the help: `FILE`, `TIME`. Files are completed by shells. */
  readonly value?: string;
  /** Its text in the help. */
  readonly about: string;
  /** What applies without it, as shown in the help. */
  readonly fallback?: string;
  /** The words that it takes, for shells to complete. */
  readonly choices?: readonly string[];
}

/** A flag with a value, given once. */
export type TextFlag = Flag & { readonly type: 'string'; readonly multiple?: never };

/** The flags of a command. */
export type KnownFlags = Readonly<Record<string, Flag>>;

type Read<Flags extends KnownFlags> = ReturnType<
  typeof parseArgs<{ args: string[]; options: Flags & NonNullable<ParseArgsConfig['options']>; allowPositionals: true }>
>;

/** Likely names of a flag for the key. */
const SECRET = /^--?(x-?)?(k|key|api-?key|token|secret|password)(=|$)/i;

/**
 * Reads the arguments of a command.
 *
 * @throws UsageError with one sentence about the problem. It never quotes a value.
 */
export function readFlags<Flags extends KnownFlags>(args: readonly string[], options: Flags): Read<Flags> {
  if (beforeDashes(args).some((text) => SECRET.test(text))) throw keyGiven('a flag');
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(sentenceOf(String((error as Error).message), options));
  }
}

/** The arguments before `--`, behind which none is a flag. */
export function beforeDashes(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end < 0 ? args : args.slice(0, end);
}

/** The error of a key on the command line. */
export function keyGiven(as: string): UsageError {
  return new UsageError(
    `The key cannot be ${as}: every user of this machine can see command lines, and the shell keeps them. ` +
      'Use the environment variable STACKS_API_KEY or a file: --key-file FILE.',
  );
}

/** What Node says, in words of this program. */
function sentenceOf(message: string, options: KnownFlags): string {
  const [, flag = '', problem] =
    /^Option '.*?(--[\w-]+).*?' (argument missing|argument is ambiguous|does not)/.exec(message) ?? [];
  const value = options[flag.slice(2)]?.value ?? 'VALUE';
  if (problem === 'argument missing') return `${flag} requires a value: ${flag} ${value}.`;
  if (problem === 'argument is ambiguous')
    return `${flag} requires a value; one that begins with a dash is written with an equals sign: ${flag}=${value}.`;
  if (problem === 'does not') return `${flag} takes no value.`;
  const [, unknown] = /^Unknown option '([^']*)'/.exec(message) ?? [];
  if (unknown === undefined) return `${message.split(/\.?\s*(?:\n|\. )/)[0]?.replace(/\.$/, '')}.`;
  const names = [...Object.keys(options), 'help'].map((name) => `--${name}`);
  return `Unknown flag ${unknown}.${didYouMean(unknown, names)}`;
}

/**
 * Rejects arguments of a command that has none.
 *
 * @throws UsageError that names the command.
 */
export function noArguments(command: string, positionals: readonly string[]): void {
  if (positionals.length > 0) throw new UsageError(`${command} takes no arguments, only flags.`);
}

/** Reads a whole number, `least` or more. */
export function whole(flag: string, text: string, least: number): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least) return number;
  throw new UsageError(`${flag} must be a whole number, ${least} or more, not "${text}".`);
}

/** Reads a port, 0 or more. */
export function port(text: string): number {
  const number = whole('--port', text, 0);
  if (number <= 65_535) return number;
  throw new UsageError(`--port must be at most 65535, not "${number}".`);
}

/**
 * The text of a file that a flag names, without a byte order mark.
 *
 * @throws UsageError if it cannot be read.
 */
export async function textIn(flag: string, path: string): Promise<string> {
  try {
    return new TextDecoder().decode(await readFile(path));
  } catch (error) {
    throw new UsageError(`${flag} ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

const MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a time such as `500ms`, `30s`, `5m`, `2h` or `1d`; of no length only with `mayBeZero`. @returns milliseconds. */
export function duration(flag: string, text: string, mayBeZero: boolean = false): number {
  const [, number, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Number(number) * (MS[unit] ?? Number.NaN);
  if (ms > 0 || (mayBeZero && ms === 0)) return ms;
  throw new UsageError(`${flag} must be a time such as 500ms, 30s, 5m, 2h or 1d, not "${text}".`);
}

/** Reads one of several words. */
export function oneOf<Word extends string>(flag: string, text: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw new UsageError(`${flag} must be one of ${words.join(', ')}, not "${text}".${didYouMean(text, words)}`);
}

/** Splits `name=value`; the name is undefined without `=`. */
export function assignment(text: string): { readonly name: string | undefined; readonly value: string } {
  const at = text.indexOf('=');
  return at < 0 ? { name: undefined, value: text } : { name: text.slice(0, at), value: text.slice(at + 1) };
}
