import { describe, expect, it } from 'vitest';
import { KEY, worldOf } from '../support/world.ts';

describe('info', () => {
  it('shows what the service says of itself', async () => {
    const world = worldOf();
    expect(await world.run('info')).toBe(0);
    expect(JSON.parse(world.stdout.text)).toMatchObject({ status: 'ready' });
  });

  it('is one line on request', async () => {
    const world = worldOf();
    expect(await world.run('info', '--json')).toBe(0);
    expect(world.stdout.text.trimEnd()).not.toContain('\n');
    expect(JSON.parse(world.stdout.text)).toMatchObject({ status: 'ready' });
  });

  it('says that the quota can be read even where there is no such page', async () => {
    const world = worldOf({ service: { info: 404 } });
    expect(await world.run('info')).toBe(1);
    expect(world.stderr.text).toMatch(
      /the service answered 404: .*\. The quota can be read all the same: stacks-quota quota\n$/,
    );
  });

  it('says to check the key when it is refused', async () => {
    const world = worldOf({ env: { STACKS_API_KEY: 'wrong-key' } });
    expect(await world.run('info')).toBe(1);
    expect(world.stderr.text).toMatch(
      /^stacks-quota: GET \/extended\/v1\/info: the service answered 401: .*\. Check the key\.\n$/,
    );
    expect(world.stderr.text).not.toContain('wrong-key');
  });

  it('waits no longer than --max-wait', async () => {
    const world = worldOf();
    world.service.spend(500, KEY);
    expect(await world.run('info', '--max-wait', '10s')).toBe(4);
    expect(await world.run('info')).toBe(0);
  });
});
