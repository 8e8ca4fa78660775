import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { worldOf } from '../support/world.ts';

/** Runs a shell, without the files that would configure it. */
const shell = (name: string, args: readonly string[]) => spawnSync(name, args, { encoding: 'utf8' });
const has = (name: string): boolean => shell(name, ['--version']).status === 0;

async function scriptOf(name: string): Promise<string> {
  const world = worldOf();
  expect(await world.run('completion', name)).toBe(0);
  return world.stdout.text;
}

describe('completion', () => {
  it.for(['bash', 'zsh', 'fish'])('for %s knows every command and every flag', async (name) => {
    const script = await scriptOf(name);
    for (const { name, load } of COMMANDS) {
      expect(script).toContain(name);
      for (const flag of Object.keys((await load()).page.flags))
        expect(script).toMatch(new RegExp(`-l ${flag} |--${flag}\\b`));
    }
  });

  it.for<[argv: string[], sentence: RegExp]>([
    [[], /completion takes one shell: bash, zsh, fish\./],
    [['tcsh'], /The shell must be one of bash, zsh, fish, not "tcsh"\./],
    [['bsh'], /Did you mean bash\?/],
  ])('%o names the shells that it has', async ([argv, sentence]) => {
    const world = worldOf();
    expect(await world.run('completion', ...argv)).toBe(2);
    expect(world.stderr.text).toMatch(sentence);
  });
});

describe.runIf(has('bash'))('in bash', () => {
  it.for<[line: string, words: string[]]>([
    ['q', ['quota']],
    ['', ['quota', 'get', 'info', 'assets', 'mock', 'proxy', 'completion', 'help', '--help', '--version']],
    ['quota --fa', ['--fail-under']],
    ['assets -', expect.arrayContaining(['--out', '-o', '-q', '--json', '--help']) as never],
    ['mock --window sliding', ['sliding-log', 'sliding-counter']],
    ['mock --port 1 --charge ', ['before', 'after']],
    ['quota --timeout ', []],
    ['completion ', expect.arrayContaining(['bash', 'zsh', 'fish']) as never],
    ['help mo', ['mock']],
    ['assets --from package.js', ['package.json']],
    ['assets -o package.js', ['package.json']],
    ['quota --key-file tsup.c', ['tsup.config.ts']],
  ])('%o is completed', async ([line, words]) => {
    const script = await scriptOf('bash');
    const typed = `stacks-quota ${line}`.split(' ');
    const program = `${script}
COMP_WORDS=(${typed.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${typed.length - 1}
_stacks_quota; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr, status } = shell('bash', ['--norc', '-u', '-c', program]);
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect(stdout.split('\n').filter(Boolean)).toEqual(words);
  });
});

describe.runIf(has('zsh'))('in zsh', () => {
  it.for([
    ['after compinit', 'autoload -U compinit && compinit -u'],
    ['in a .zshrc that has nothing else', ''],
  ])('is a script that loads %s', async ([, before]) => {
    const script = `${before}\n${await scriptOf('zsh')}\nprint $_comps[stacks-quota]`;
    const { stdout, stderr } = shell('zsh', ['-f', '-c', script]);
    expect({ stdout, stderr }).toEqual({ stdout: '_stacks_quota\n', stderr: '' });
  });
});

describe.runIf(has('fish'))('in fish', () => {
  it.for<[line: string, words: string[]]>([
    ['stacks-quota quo', ['quota']],
    ['stacks-quota quota --fail', ['--fail-under']],
    ['stacks-quota mock --window slid', ['sliding-log', 'sliding-counter']],
  ])('%o is completed', async ([line, words]) => {
    const script = `${await scriptOf('fish')}\ncomplete -C ${JSON.stringify(line)}`;
    const { stdout } = shell('fish', ['--no-config', '-c', script]);
    const found = stdout.split('\n').flatMap((row) => row.split('\t')[0] || []);
    expect(found.toSorted()).toEqual(words.toSorted());
  });
});
