import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../support/folder.ts';
import { KEY, worldOf } from './support/world.ts';

const { path: folder, newPath, fileWith } = testFolder();

function keyFile(text: string, mode = 0o600): string {
  const path = fileWith(text);
  chmodSync(path, mode);
  return path;
}

describe('a file with the key', () => {
  it.for([KEY, `${KEY}\n`, `  ${KEY}\r\n`])('opens the service', async (text) => {
    const world = worldOf({ env: { STACKS_API_KEY: '' } });
    expect(await world.run('quota', '--key-file', keyFile(text))).toBe(0);
    expect(world.service.log.map(({ key }) => key)).toEqual(['keyed']);
    expect(world.stderr.text).toBe('');
  });

  it('comes before the environment', async () => {
    const world = worldOf({ env: { STACKS_API_KEY: 'another' } });
    expect(await world.run('quota', '--key-file', keyFile(KEY))).toBe(0);
  });

  it('is warned about where others may read it, and is used all the same', async () => {
    const world = worldOf();
    const path = keyFile(KEY, 0o644);
    expect(await world.run('quota', '--key-file', path)).toBe(0);
    expect(world.stderr.text).toBe(
      `stacks-quota: Warning: ${path} holds a key and is readable by others (mode 644): chmod 600 ${path}\n`,
    );
  });

  it.for<[name: string, path: () => string, sentence: RegExp]>([
    ['is not there', newPath, /^stacks-quota: --key-file .* cannot be read: ENOENT\.\n/],
    ['is a folder', () => folder, /cannot be read: EISDIR\.\n/],
    ['is empty', () => keyFile('\n'), /is empty: omit it to call without a key\.\n/],
    [
      'holds more than a key',
      () => keyFile(`# mine\n${KEY}`),
      /^stacks-quota: the key must be 1 to 512 visible ASCII characters/,
    ],
  ])('that %s is refused, and what it holds is not told', async ([, path, sentence]) => {
    const world = worldOf();
    expect(await world.run('quota', '--key-file', path())).toBe(2);
    expect(world.stderr.text).toMatch(sentence);
    expect(world.stderr.text).not.toContain(KEY);
  });
});

it('without any key calls go without one', async () => {
  const world = worldOf({ env: { STACKS_API_KEY: '' } });
  expect(await world.run('quota')).toBe(0);
  expect(world.service.log.map(({ key }) => key)).toEqual(['keyless']);
});
