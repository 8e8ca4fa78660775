import { parseArgs } from 'node:util';

/** Settings from the command line. */
export interface Flags {
  readonly help: boolean;
  /** The file with the addresses, one per line. */
  readonly file: string | undefined;
  /** Number of addresses to fetch. */
  readonly limit: number;
  /** Options of the mock; unused with a live service. */
  readonly mock: {
    readonly perSecond: number | undefined;
    readonly perMinute: number | undefined;
    readonly latencyMs: readonly [number, number] | undefined;
  };
}

export const HELP = `Fetches the assets of 300 accounts and contracts as fast as the quota allows, and shows the progress.

  npm start -- [flags] [file]

  file               addresses to ask for, one a line   (examples/addresses.txt)
  --limit N          ask for the first N of them only
  --per-second N     units a second that the mock grants   (20)
  --per-minute N     units a minute that the mock grants   (240)
  --latency MS       how long an exchange with the mock takes: 50, or 20-200   (20-200)
  --help             this page

It talks to a mock of the service on this machine, or to a live one where STACKS_API_URL says so, with the key in
STACKS_API_KEY, if there is one. NO_COLOR=1 takes the colours off.`;

/**
 * Reads the command line.
 *
 * @throws Error with one sentence about the problem.
 */
export function readFlags(argv: readonly string[]): Flags {
  const text = { type: 'string' } as const;
  const { values, positionals } = parse(() =>
    parseArgs({
      args: [...argv],
      options: { limit: text, 'per-second': text, 'per-minute': text, latency: text, help: { type: 'boolean' } },
      allowPositionals: true,
    }),
  );
  if (positionals.length > 1) throw new Error(`Pass one file of addresses, not ${positionals.length}.`);
  return {
    help: values.help ?? false,
    file: positionals[0],
    limit: count('--limit', values.limit) ?? Infinity,
    mock: {
      perSecond: count('--per-second', values['per-second']),
      perMinute: count('--per-minute', values['per-minute']),
      latencyMs: milliseconds('--latency', values.latency),
    },
  };
}

/** Node adds advice for arguments that begin with a dash: the first sentence is enough. */
function parse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const [sentence] = String((error as Error).message).split(/\.?\s*(?:\n|\. )/);
    throw new Error(`${sentence}. Try --help.`);
  }
}

function count(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`${flag} must be a whole number, 1 or more, not "${text}".`);
  return Number(text);
}

function milliseconds(flag: string, text: string | undefined): readonly [number, number] | undefined {
  if (text === undefined) return undefined;
  const [, least, most = least] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  if (least === undefined || Number(most) < Number(least)) {
    throw new Error(`${flag} must be milliseconds such as 50 or 20-200, not "${text}".`);
  }
  return [Number(least), Number(most)];
}
