import { describe, expect, it } from 'vitest';
import { FailingCalls } from '../../src/scheduler/failing-calls.ts';

const since = (failingSince?: number) => ({ attempts: 0, refusals: 0, hops: 0, failingSince });

/** Calls of an endpoint that served one at 5, two of which fail since 10 and 20. */
function twoFailing(): FailingCalls {
  const calls = new FailingCalls();
  calls.onServed('GET /a', 5);
  calls.begin('GET /a');
  calls.begin('GET /a');
  return calls;
}

describe('the requests of a failing call are probes', () => {
  it('while another call of its endpoint fails, too', () => {
    const calls = twoFailing();
    expect(calls.isProbe('GET /a', since(10))).toBe(true);
    calls.end('GET /a');
    expect(calls.isProbe('GET /a', since(10))).toBe(false);
  });

  it('until one of its endpoint is served: then it is the call that fails', () => {
    const calls = twoFailing();
    calls.onServed('GET /b', 15);
    expect(calls.isProbe('GET /a', since(10))).toBe(true);
    calls.onServed('GET /a', 15);
    expect(calls.isProbe('GET /a', since(10))).toBe(false);
    expect(calls.isProbe('GET /a', since(20))).toBe(true);
  });

  it('but not the first one, nor those to an endpoint that never served', () => {
    const calls = twoFailing();
    expect(calls.isProbe('GET /a', since())).toBe(false);
    calls.begin('GET /b');
    calls.begin('GET /b');
    expect(calls.isProbe('GET /b', since(10))).toBe(false);
  });

  it('of the 64 endpoints seen last: a call of an older one that ends leaves nothing behind', () => {
    const calls = twoFailing();
    for (let nth = 0; nth < 64; nth++) calls.onServed(`GET /${nth}`, 6);
    calls.end('GET /a');
    calls.onServed('GET /a', 7);
    calls.begin('GET /a');
    calls.begin('GET /a');
    expect(calls.isProbe('GET /a', since(10))).toBe(true);
  });
});
