import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KEY, worldOf } from './support/world.ts';

const COMMANDS = ['quota', 'get', 'info', 'assets', 'mock', 'completion'];
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

describe('the program', () => {
  it('says where it may be told another address, where none was reached in time', async () => {
    const cause = Object.assign(new Error('Connect Timeout Error'), { code: 'UND_ERR_CONNECT_TIMEOUT' });
    const world = Object.assign(worldOf(), { fetch: () => Promise.reject(new TypeError('fetch failed', { cause })) });
    expect(await world.run('info')).toBe(1);
    expect(world.stderr.text).toMatch(
      /UND_ERR_CONNECT_TIMEOUT: .* Check the URL of the service: --url or STACKS_API_URL\.\n$/,
    );
  });

  it.for([['--help'], ['-h'], ['help']])('prints its help: %s', async (argv) => {
    const world = worldOf();
    expect(await world.run(...argv)).toBe(0);
    for (const command of COMMANDS) expect(world.stdout.text).toMatch(new RegExp(`^ {2}${command} +\\w`, 'm'));
    expect(world.stderr.text).toBe('');
  });

  it.for(COMMANDS)('prints the help of %s, whatever the other arguments are, and runs nothing', async (command) => {
    const helped = worldOf();
    expect(await helped.run(command, '--bogus', '--help')).toBe(0);
    const asked = worldOf();
    expect(await asked.run('help', command)).toBe(0);
    expect(helped.stdout.text).toBe(asked.stdout.text);
    expect(helped.stdout.text).toMatch(new RegExp(`^Usage: stacks-quota ${command}`));
    for (const part of ['Flags', 'Examples', 'Exit codes']) expect(helped.stdout.text).toContain(`\n\n${part}:\n  `);
    expect(helped.service.requests).toBe(0);
  });

  it.for(['help', ...COMMANDS])(
    'fits the page in 78 columns of ASCII, and every word in one line: %s',
    async (command) => {
      const world = worldOf();
      await world.run(command, '--help');
      expect(world.stdout.text.split('\n').filter((line) => line.length > 78)).toEqual([]);
      expect(world.stdout.text).toMatch(/^[\n\x20-\x7e]+$/);
    },
  );

  it.for(['--version', '-V', '-v', 'version'])('tells its version: %s', async (word) => {
    const world = worldOf();
    expect(await world.run(word)).toBe(0);
    expect(world.stdout.text).toBe(`${manifest.version}\n`);
  });

  it.for<[typed: string[], meant: string]>([
    [['quta'], 'quota'],
    [['quotas'], 'quota'],
    [['QUOTA'], 'quota'],
    [['aseets'], 'assets'],
    [['comp'], 'completion'],
    [['help', 'moc'], 'mock'],
    [['--hlep'], '--help'],
    [['quota', '--jsn'], '--json'],
    [['quota', '--fail-uner', '5'], '--fail-under'],
    [['mock', '--window', 'slidinglog'], 'sliding-log'],
  ])('suggests the word that was meant: %o', async ([typed, meant]) => {
    const world = worldOf();
    expect(await world.run(...typed)).toBe(2);
    expect(world.stderr.text).toContain(`. Did you mean ${meant}?\nTry: stacks-quota `);
  });

  it('suggests no word where none is close', async () => {
    const world = worldOf();
    await world.run('blockchain');
    expect(world.stderr.text).toBe('stacks-quota: Unknown command "blockchain".\nTry: stacks-quota --help\n');
  });

  it('breaks long errors between words on a terminal, and not in a log', async () => {
    const narrow = worldOf({ columns: 40 });
    await narrow.run('quota', '--timeout', '30');
    expect(narrow.stderr.text).toBe(
      'stacks-quota: --timeout must be a time\nsuch as 500ms, 30s, 5m, 2h or 1d, not\n"30".\nTry: stacks-quota quota --help\n',
    );
    const log = worldOf();
    await log.run('quota', '--timeout', '30');
    expect(log.stderr.text.split('\n')).toHaveLength(3);
  });

  it.for<[name: string, argv: string[], sentence: RegExp]>([
    [
      'nothing',
      [],
      /^Missing command: quota, get, info, assets, mock, proxy or completion\.\nTry: stacks-quota --help\n$/,
    ],
    ['no command that it has', ['blocks'], /^Unknown command "blocks"\.\n/],
    ['no flag that it has', ['quota', '--bogus'], /^Unknown flag --bogus\.\nTry: stacks-quota quota --help\n$/],
    ['an argument where there is none to give', ['info', 'all'], /^info takes no arguments/],
    ['a flag without its value', ['quota', '--every'], /^--every requires a value: --every TIME\.\n/],
    ['a short flag without its value', ['assets', '-o'], /^--out requires a value: --out FILE\.\n/],
    [
      'a value that begins with a dash',
      ['proxy', '--port', '-1'],
      /^--port requires a value; one that begins with a dash is written with an equals sign: --port=N\.\n/,
    ],
    ['a value for a flag that takes none', ['quota', '--watch=3'], /^--watch takes no value\.\n/],
    ['a URL that is none', ['quota', '--url', 'api.hiro.so'], /^--url \(or STACKS_API_URL\) must begin with https:/],
    ['a key for an open line', ['quota', '--url', 'http://10.0.0.1'], /must be https when a key is set/],
    [
      'a time that is none',
      ['quota', '--timeout', '30'],
      /^--timeout must be a time such as 500ms, 30s, 5m, 2h or 1d, not "30"\./,
    ],
  ])('refuses %s in a sentence, and sends no request', async ([, argv, sentence]) => {
    const world = worldOf();
    expect(await world.run(...argv)).toBe(2);
    expect(world.stderr.text).toMatch(/^stacks-quota: /);
    expect(world.stderr.text.replace('stacks-quota: ', '')).toMatch(sentence);
    expect(world.stdout.text).toBe('');
    expect(world.service.requests).toBe(0);
  });

  it('ends as a shell expects of a program whose output is closed', async () => {
    const world = worldOf();
    world.stdout.leave();
    expect(await world.run('quota')).toBe(141);
    expect(world.stderr.text).toBe('');
  });

  it('ends with a code even where standard error is closed', async () => {
    const world = worldOf();
    world.stderr.leave();
    expect(await world.run('quota', '--bogus')).toBe(2);
  });
});

describe('the key', () => {
  it.for(['--key', '--api-key', '--apikey', '--token', '--x-api-key', '-k'])('is no flag: %s', async (flag) => {
    for (const argv of [[flag, KEY], [`${flag}=${KEY}`]]) {
      const world = worldOf();
      expect(await world.run('quota', ...argv)).toBe(2);
      expect(world.stderr.text).toMatch(
        /^stacks-quota: The key cannot be a flag: .* STACKS_API_KEY.*--key-file FILE\.\n/,
      );
      expect(world.stderr.text).not.toContain(KEY);
    }
  });

  it('is not taken for one where it stands for an address', async () => {
    const world = worldOf();
    expect(await world.run('assets', '--', '--key')).toBe(2);
    expect(world.stderr.text).toContain('begins with "--"');
  });
});
