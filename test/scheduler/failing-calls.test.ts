import { describe, expect, it } from 'vitest';
import type { AttemptCounts } from '../../src/http/retry-policy.ts';
import { FailingCalls } from '../../src/scheduler/failing-calls.ts';

const aCall = (): AttemptCounts => ({ attempts: 0, refusals: 0, hops: 0 });
const [one, other] = [aCall(), aCall()];

/** Calls of an endpoint that served one, and of which two have failed since. */
function twoFailing(): FailingCalls {
  const calls = new FailingCalls();
  calls.onServed('GET /a');
  calls.onFailed('GET /a', one);
  calls.onFailed('GET /a', other);
  return calls;
}

describe('the requests of a failing call are probes', () => {
  it('while another call of its endpoint fails, too', () => {
    const calls = twoFailing();
    expect(calls.isProbe('GET /a')).toBe(true);
    calls.end('GET /a', one);
    expect(calls.isProbe('GET /a')).toBe(false);
  });

  it('and not while it fails alone, however often', () => {
    const calls = new FailingCalls();
    calls.onServed('GET /a');
    for (let time = 0; time < 3; time++) calls.onFailed('GET /a', one);
    expect(calls.isProbe('GET /a')).toBe(false);
  });

  it('until one of its endpoint is served: then it is the call that fails, until another one does again', () => {
    const calls = twoFailing();
    calls.onServed('GET /b');
    expect(calls.isProbe('GET /a')).toBe(true);
    calls.onServed('GET /a');
    expect(calls.isProbe('GET /a')).toBe(false);
    calls.onFailed('GET /a', one);
    expect(calls.isProbe('GET /a')).toBe(false);
    calls.onFailed('GET /a', other);
    expect(calls.isProbe('GET /a')).toBe(true);
  });

  it('but not those to an endpoint that never served', () => {
    const calls = twoFailing();
    calls.onFailed('GET /b', one);
    calls.onFailed('GET /b', other);
    expect(calls.isProbe('GET /b')).toBe(false);
  });

  it('of the 64 endpoints seen last: a call of an older one that ends leaves nothing behind', () => {
    const calls = twoFailing();
    for (let nth = 0; nth < 64; nth++) calls.onServed(`GET /${nth}`);
    calls.end('GET /a', one);
    calls.onServed('GET /a');
    calls.onFailed('GET /a', one);
    calls.onFailed('GET /a', other);
    expect(calls.isProbe('GET /a')).toBe(true);
  });
});
