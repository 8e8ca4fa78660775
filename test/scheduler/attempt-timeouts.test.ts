import { describe, expect, it } from 'vitest';
import type { ServiceFault } from '../../src/testing/index.ts';
import { error, pair } from './support/called-service.ts';

describe('timeouts', () => {
  it('the timeout of an attempt is told, from its leaving to the headers of its answer', async () => {
    const { clock, client, events, endOf } = pair({ apiKey: () => late() });
    const late = () => clock.sleep(50).then(() => undefined);
    await endOf(client.getInfo());
    expect(events).toContainEqual(expect.objectContaining({ type: 'answered', tookMs: 100 }));
  });

  it.each<[string, ServiceFault]>([
    ['an answer that never comes', 'hang'],
    ['a body that comes slowly', 'slow body'],
  ])('the timeout of an attempt cuts %s', async (_, fault) => {
    const { clock, mock, client, endOf } = pair({ maxAttempts: 1, timeoutMs: 3_000 });
    mock.faults.next(1, fault);
    expect(await endOf(client.getInfo())).toEqual(error('ConnectionError', { code: 'TIMEOUT', attempts: 1 }));
    expect(clock.now()).toBe(3_000);
    expect(client.quota().inFlight).toBe(0);
  });

  it('the timeout of an attempt cuts a fetch that ignores its signal', async () => {
    const { clock, client, endOf } = pair({ maxAttempts: 1, fetch: () => new Promise(() => {}) });
    expect(await endOf(client.getInfo())).toEqual(error('ConnectionError', { code: 'TIMEOUT' }));
    expect(clock.now()).toBe(30_000);
  });

  it('the timeout of an attempt can be a call’s own', async () => {
    const { clock, mock, client, endOf } = pair({ maxAttempts: 1 });
    mock.faults.next(1, 'hang');
    expect(await endOf(client.getInfo({ timeoutMs: 500 }))).toEqual(error('ConnectionError', { code: 'TIMEOUT' }));
    expect(clock.now()).toBe(500);
  });

  it('the timeout of an attempt begins anew with each attempt', async () => {
    const { clock, mock, client, endOf } = pair({ maxAttempts: 3, timeoutMs: 1_000, random: () => 0 });
    mock.faults.next(2, 'hang');
    expect(await endOf(client.getInfo())).toMatchObject({ data: {} });
    expect(clock.now()).toBe(2_100);
  });

  it('the timeout of an attempt ends a wait for a key, and nothing is charged', async () => {
    const { client, count, endOf } = pair({ maxAttempts: 1, apiKey: () => new Promise(() => {}), timeoutMs: 1_000 });
    expect(await endOf(client.getInfo())).toEqual(error('ConnectionError', { code: 'TIMEOUT' }));
    expect([count('sent'), client.quota().inFlight]).toEqual([0, 0]);
  });
});
