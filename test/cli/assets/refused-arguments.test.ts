import { describe, expect, it } from 'vitest';
import { testFolder } from '../../support/folder.ts';
import { ACCOUNTS, worldOf } from '../support/world.ts';

const [FIRST = ''] = ACCOUNTS;

const { newPath, fileWith } = testFolder();

describe('assets refuses, before anything is spent,', () => {
  it.for<[name: string, argv: () => string[], sentence: RegExp]>([
    ['nobody', () => [], /^Missing addresses: pass them as arguments/],
    ['an address with a wrong checksum', () => [FIRST.replace(/.$/, '0')], /^address "SP3.*fails its checksum.*\.\n/],
    ['a file in place of an address', () => ['accounts.txt'], /If it is a file: --from accounts\.txt\n/],
    [
      'a line with a mistake',
      () => ['--from', fileWith(`${FIRST}\n# remark\nSP12\n`)],
      /^line 3 of .*: address "SP12" /,
    ],
    [
      'more mistakes than one can read',
      () => ['--from', fileWith('x\n'.repeat(50))],
      /\nstacks-quota: … and 40 more\.\nTry: /,
    ],
    ['a file without addresses', () => ['--from', fileWith('# none\n')], /^There are no addresses in /],
    [
      'a file in UTF-16, as PowerShell writes it',
      () => ['--from', fileWith(`\uFEFF${FIRST}\r\n`.split('').join('\0'))],
      /is no text in UTF-8, as --from requires\. `>` of PowerShell 5 writes UTF-16\.\nTry: /,
    ],
    ['a file that is not there', () => ['--from', '/none'], /^--from \/none cannot be read: ENOENT\./],
    ['nothing on standard input', () => ['-'], /^There are no addresses in standard input\./],
    ['a page larger than there are', () => [FIRST, '--limit', '101'], /^--limit must be at most 100/],
    [
      'a page of nothing for a walk',
      () => [FIRST, '--all', '--limit', '0'],
      /^--limit must be a whole number, 2 or more/,
    ],
    [
      'a walk that begins in the middle',
      () => [FIRST, '--all', '--offset', '5'],
      /^--all and --offset cannot be combined/,
    ],
    ['a block that is none', () => [FIRST, '--until-block', 'last'], /^--until-block must be the height/],
    [
      'a block and what is in none',
      () => [FIRST, '--until-block', '1', '--unanchored'],
      /^--unanchored and --until-block cannot be combined/,
    ],
    ['to go on with no file', () => [FIRST, '--resume'], /^--resume requires --out FILE\./],
    ['to keep and to replace', () => [FIRST, '--out', newPath(), '--resume', '--force'], /cannot be combined/],
  ])('%s', async ([, argv, sentence]) => {
    const world = worldOf();
    expect(await world.run('assets', ...argv())).toBe(2);
    expect(world.stderr.text).toMatch(/^stacks-quota: /);
    expect(world.stderr.text.replace('stacks-quota: ', '')).toMatch(sentence);
    expect(world.service.requests).toBe(0);
  });
});
