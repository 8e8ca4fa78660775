import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../support/folder.ts';
import { addressesIn, linesIn, MANY, summaryOf } from '../support/assets.ts';
import { ACCOUNTS, worldOf } from '../support/world.ts';

const [FIRST = ''] = ACCOUNTS;

const { newPath, fileWith } = testFolder();

describe('assets --out', () => {
  it('goes on where it was interrupted, and fetches nothing twice', async () => {
    const out = newPath();
    const broken = worldOf({ service: { keyed: { minute: 25 } } });
    let arrived = 0;
    broken.service.faults.when(() => {
      if (++arrived === 25) broken.clock.timer(5_000, () => broken.interrupt());
      return undefined;
    });
    expect(await broken.run('assets', ...MANY, '--out', out)).toBe(130);
    const before = readFileSync(out, 'utf8');
    expect(before.endsWith('}\n')).toBe(true);
    expect(linesIn(before)).toHaveLength(25);
    expect(broken.stderr.text).toContain(`${out} contains only whole lines: continue with --resume.\n`);

    writeFileSync(out, `${before}${before.slice(0, 40)}`);
    const again = worldOf();
    expect(await again.run('assets', ...MANY, '--out', out, '--resume')).toBe(0);
    expect(again.service.requests).toBe(35);
    const after = readFileSync(out, 'utf8');
    expect(after.startsWith(before)).toBe(true);
    expect(addressesIn(after).toSorted()).toEqual(MANY.toSorted());
    expect(summaryOf(again)).toContain('Fetched 35 of 35 accounts (25 more before) in ');
  });

  it('has nothing to do where all is there', async () => {
    const out = newPath();
    await worldOf().run('assets', ...ACCOUNTS, '--out', out);
    const again = worldOf();
    expect(await again.run('assets', ...ACCOUNTS, '--out', out, '--resume')).toBe(0);
    expect(again.service.requests).toBe(0);
  });

  it('spends nothing where the file is there already', async () => {
    const out = fileWith('{"mine":true}\n');
    const world = worldOf();
    expect(await world.run('assets', FIRST, '--out', out)).toBe(2);
    expect(await world.run('assets', FIRST, '--out', out, '--resume')).toBe(2);
    expect(world.service.requests).toBe(0);
    expect(await world.run('assets', FIRST, '--out', out, '--force')).toBe(0);
    expect(addressesIn(readFileSync(out, 'utf8'))).toEqual([FIRST]);
  });

  it('stops when the disk is full', async () => {
    const world = worldOf();
    expect(await world.run('assets', ...MANY, '--out', '/dev/full', '--force')).toBe(1);
    expect(world.stderr.text).toMatch(/ENOSPC: no space left on device/);
    expect(world.stderr.text).not.toMatch(/^ +at /m);
    expect(world.service.requests).toBeLessThan(60);
  });

  it('leaves no empty file behind where nothing came of it', async () => {
    const out = newPath();
    const world = worldOf({ env: { STACKS_API_KEY: 'wrong' } });
    expect(await world.run('assets', ...ACCOUNTS, '--out', out)).toBe(1);
    expect(existsSync(out)).toBe(false);
  });
});
