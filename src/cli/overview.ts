import { COMMANDS } from './commands.ts';
import { paragraphs, section, verbatim } from './help-page.ts';

const ABOUT = `Calls the Stacks API as fast as its rate limits allow, without 429s.`;

const KEY = `The key cannot be a flag, because every user of a machine can see command lines. Results go to standard output,
everything else to standard error.`;

/** The help of the whole program. */
export function overview(): string {
  return [
    'Usage: stacks-quota COMMAND [flags]',
    ABOUT,
    section(['Commands', COMMANDS.map(({ name, summary }) => [name, summary] as const)]),
    section([
      'Flags',
      [
        ['-h, --help', 'this page; after a command, the help of that command'],
        ['-V, --version', 'the version'],
      ],
    ]),
    section([
      'Environment',
      [
        ['STACKS_API_KEY', 'the key; or in a file: --key-file FILE'],
        ['STACKS_API_URL', 'URL of the service; or --url URL (default: https://api.hiro.so)'],
        ['NO_COLOR', 'turns colours off'],
      ],
    ]),
    paragraphs(KEY),
    verbatim('Examples, without a key and without a network', [
      'stacks-quota mock --port 4000 --limit minute=100',
      'STACKS_API_URL=http://127.0.0.1:4000 stacks-quota quota',
      'STACKS_API_URL=http://127.0.0.1:4000 stacks-quota get /extended/v1/info',
    ]),
    section([
      'Exit codes',
      [
        ['0', 'success'],
        ['1', 'the service, the network or the disk failed'],
        ['2', 'invalid command line, or an unusable file; nothing was sent'],
        ['3', 'a window has less left than --fail-under demands'],
        ['4', 'the quota is exhausted; the message says when to retry'],
        ['130', 'ended by Ctrl-C (129 by SIGHUP, 143 by SIGTERM)'],
        ['141', 'the reader of the output has closed it'],
      ],
    ]),
  ].join('\n\n');
}
