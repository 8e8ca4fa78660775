import { checkAddress, isConfigError } from '../../index.ts';
import type { Environment } from '../environment.ts';
import { UsageError } from '../exit.ts';
import { textIn } from '../flags.ts';

/** An address with its origin. */
interface Given {
  readonly address: string;
  /** Its origin, such as `line 3 of accounts.txt`; empty for an argument. */
  readonly place: string;
}

/** Maximum number of invalid addresses listed. */
const TOLD = 10;

/**
 * Collects the addresses, each once, in the given order. All are validated before any quota is used.
 *
 * @param words - addresses, or `-` for standard input.
 * @param files - files with one address per line, or `-`. `#` begins a comment.
 * @throws UsageError that lists the invalid addresses.
 */
export async function gatherAddresses(
  words: readonly string[],
  files: readonly string[],
  { stdin, stderr }: Pick<Environment, 'stdin' | 'stderr'>,
): Promise<readonly string[]> {
  const sources = [...new Set([...files, ...words.filter((word) => word === '-')])];
  const given: Given[] = words.filter((word) => word !== '-').map((address) => ({ address, place: '' }));
  for (const source of sources) {
    if (source === '-' && stdin.isTTY) {
      await stderr.write('Enter addresses, one per line; Ctrl-D ends the list.\n');
    }
    const text = source === '-' ? await textOf(stdin) : await textIn('--from', source);
    const name = source === '-' ? 'standard input' : source;
    if (text.includes('\0'))
      throw new UsageError(`${name} is no text in UTF-8, as --from requires. \`>\` of PowerShell 5 writes UTF-16.`);
    const found = addressesIn(text).map(({ address, line }) => ({ address, place: `line ${line} of ${name}` }));
    if (found.length === 0) throw new UsageError(`There are no addresses in ${name}.`);
    for (const one of found) given.push(one);
  }
  if (given.length === 0) {
    throw new UsageError(
      'Missing addresses: pass them as arguments, by --from FILE with one per line, or by - for standard input.',
    );
  }
  const wrong = given.flatMap(wrongWith);
  if (wrong.length > 0) {
    const more = wrong.length > TOLD ? [`… and ${wrong.length - TOLD} more.`] : [];
    throw new UsageError([...wrong.slice(0, TOLD), ...more].join('\n'));
  }
  return [...new Set(given.map(({ address }) => address))];
}

function addressesIn(text: string): { readonly address: string; readonly line: number }[] {
  return text.split('\n').flatMap((whole, index) => {
    const address = whole.replace(/#.*/, '').trim();
    return address === '' ? [] : [{ address, line: index + 1 }];
  });
}

function wrongWith({ address, place }: Given): string[] {
  try {
    checkAddress(address);
    return [];
  } catch (error) {
    if (!isConfigError(error)) throw error;
    const hint = place === '' && /[./\\]/.test(address.slice(0, 28)) ? ` If it is a file: --from ${address}` : '';
    return [`${place && `${place}: `}${error.message}.${hint}`];
  }
}

async function textOf(stream: Environment['stdin']): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}
