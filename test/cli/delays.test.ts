import { describe, expect, it } from 'vitest';
import { KEY, worldOf } from './support/world.ts';

const COMMANDS = [['info'], ['get', '/extended/v1/info'], ['quota']];

describe('a command that makes one call', () => {
  it.each(COMMANDS)('%s tells that no response came, and tries again', async (...argv) => {
    const world = worldOf();
    world.service.faults.next(2, 'hang');
    expect(await world.run(...argv)).toBe(0);
    const line = 'stacks-quota: No response within 30 s (TIMEOUT): trying again.\n';
    expect(world.stderr.text).toBe(line.repeat(2));
  });

  it.each(COMMANDS.slice(0, 2))('%s tells once until when it waits, and why', async (...argv) => {
    const world = worldOf();
    world.service.spend(500, KEY);
    expect(await world.run(...argv)).toBe(0);
    expect(world.stderr.text).toMatch(/^stacks-quota: Waiting until 2026-01-15T12:01:\S+Z \(in \d+ s\): .+\.\n$/);
  });

  it.each(COMMANDS)('%s says nothing of a retry that comes soon', async (...argv) => {
    const world = worldOf();
    world.service.faults.next(2, 'reset');
    expect(await world.run(...argv)).toBe(0);
    expect(world.stderr.text).toBe('');
  });
});
