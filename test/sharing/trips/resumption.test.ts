import { describe, expect, it } from 'vitest';
import type { ShareStore } from '../../../src/sharing/store/store.ts';
import { Resumption } from '../../../src/sharing/trips/resumption.ts';

const UNTIL = 10_000;

/** A store that says what to do after a pause. */
function saying(answer: 'free' | 'probe' | number): ShareStore {
  return { resume: async () => answer } as unknown as ShareStore;
}

/** A process that has heard of a pause, asked what to do at its end, and was told. */
async function told(answer: 'free' | 'probe' | number, random = 0.5): Promise<Resumption> {
  const resumption = new Resumption(() => random);
  resumption.pause(UNTIL);
  await resumption.ask(saying(answer), 'me', () => UNTIL);
  return resumption;
}

/** A store that records what it is asked and told. */
function recording(answer: 'free' | 'probe' | number = 'free'): {
  readonly store: ShareStore;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const store = {
    pause: async (ms: number) => void asked.push(`pause ${ms}`),
    resume: async (member: string) => {
      asked.push(`resume ${member}`);
      return answer;
    },
    resumed: async () => void asked.push('resumed'),
  };
  return { store: store as unknown as ShareStore, asked };
}

const call = <T>(work: () => Promise<T>): Promise<T> => work();

describe('what a process tells the store of a pause', () => {
  it('is one that the service ordered this process, once, and how long it lasts still', async () => {
    const resumption = new Resumption(() => 0);
    const { store, asked } = recording();
    expect([resumption.order(UNTIL), resumption.order(UNTIL), resumption.order(UNTIL - 1)]).toEqual([
      true,
      false,
      false,
    ]);
    expect([resumption.tellsPause(4_000), resumption.isDue(4_000)]).toEqual([true, true]);
    expect([resumption.tellsPause(UNTIL), resumption.isDue(UNTIL)]).toEqual([false, false]);
    await resumption.tell(store, call, 'me', () => 4_000);
    await resumption.tell(store, call, 'me', () => 5_000);
    expect(asked).toEqual(['pause 6000']);
    expect(resumption.isDue(5_000)).toBe(false);
  });

  it('is nothing of a pause that it heard of from the store', async () => {
    const resumption = new Resumption(() => 0);
    const { store, asked } = recording();
    resumption.hear(6_000, 4_000);
    expect([resumption.tellsPause(4_000), resumption.isDue(4_000)]).toEqual([false, false]);
    await resumption.tell(store, call, 'me', () => 4_000);
    expect(asked).toEqual([]);
  });

  it('is nothing of one that is over, about which it asks', async () => {
    const resumption = new Resumption(() => 0);
    const { store, asked } = recording();
    resumption.order(UNTIL);
    await resumption.tell(store, call, 'me', () => UNTIL);
    expect(asked).toEqual(['resume me']);
    expect(resumption.until(UNTIL)).toBe(UNTIL);
  });

  it('is a longer one that began while the first was told, at the next time', async () => {
    const resumption = new Resumption(() => 0);
    const { store, asked } = recording();
    resumption.order(UNTIL);
    const longer: ShareStore = {
      ...store,
      async pause(ms) {
        resumption.order(UNTIL + 5_000);
        await store.pause(ms);
      },
    };
    await resumption.tell(longer, call, 'me', () => 4_000);
    await resumption.tell(store, call, 'me', () => 4_000);
    expect(asked).toEqual(['pause 6000', 'pause 11000']);
  });

  it('is that its probe was served', async () => {
    const resumption = await told('probe');
    const { store, asked } = recording();
    resumption.onSent();
    resumption.onServed(UNTIL, UNTIL + 40);
    await resumption.tell(store, call, 'me', () => UNTIL + 50);
    expect(asked).toEqual(['resumed']);
  });
});

describe('what a process hears of a pause', () => {
  it('is news if it ends more than 50 ms later than the one that is known', () => {
    const resumption = new Resumption(() => 0);
    expect([0, 1].map((pauseMs) => resumption.hear(pauseMs, 4_000))).toEqual([undefined, undefined]);
    expect(resumption.hear(6_000, 4_000)).toBe(UNTIL);
    expect(resumption.until(4_000)).toBe(UNTIL);
    // An answer that was longer under way names a later end of the same pause.
    expect([resumption.hear(6_000, 4_000), resumption.hear(6_000, 4_050)]).toEqual([undefined, undefined]);
    expect(resumption.until(4_050)).toBe(UNTIL);
    expect(resumption.hear(6_000, 4_051)).toBe(UNTIL + 51);
  });

  it('is believed for an hour at most', () => {
    expect(new Resumption(() => 0).hear(9e9, 1_000)).toBe(3_601_000);
  });

  it('is nothing where there is none', () => {
    const resumption = new Resumption(() => 0);
    resumption.hear(0, 0);
    expect(resumption.mayAsk(5)).toBe(false);
  });
});

describe('a pause of the service', () => {
  it('holds everything until it ends, and then until the store has said what to do', () => {
    const resumption = new Resumption(() => 0);
    expect(resumption.until(0)).toBeLessThanOrEqual(0);
    resumption.pause(UNTIL);
    expect([resumption.until(0), resumption.mayAsk(0)]).toEqual([UNTIL, false]);
    expect([resumption.until(UNTIL), resumption.mayAsk(UNTIL)]).toEqual([UNTIL + 1, true]);
  });

  it('is news only if it ends later than the one that is known', () => {
    const resumption = new Resumption(() => 0);
    expect([UNTIL, UNTIL, UNTIL - 1, UNTIL + 1].map((until) => resumption.pause(until))).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  it('ends with one probe: the process that makes it sends one request and no second', async () => {
    const resumption = await told('probe');
    expect([resumption.until(UNTIL) <= UNTIL, resumption.mayProbe(UNTIL)]).toEqual([true, true]);
    resumption.onSent();
    expect(resumption.mayProbe(UNTIL + 1)).toBe(false);
    resumption.onServed(UNTIL, UNTIL + 40);
    expect([resumption.mayAsk(UNTIL + 50), resumption.isDue(UNTIL + 50)]).toEqual([false, true]);
    expect([resumption.mayAsk(UNTIL + 2_000), resumption.until(UNTIL + 2_000) <= UNTIL]).toEqual([false, true]);
  });

  it('is not ended by the answer to a request that was sent before it', async () => {
    const resumption = await told('probe');
    resumption.onServed(UNTIL - 500, UNTIL + 40);
    expect([resumption.mayProbe(UNTIL + 50), resumption.isDue(UNTIL + 50)]).toEqual([true, false]);
  });

  it('is asked about again when the probe has not come back in two seconds', async () => {
    const resumption = await told('probe');
    resumption.onSent();
    expect([resumption.mayAsk(UNTIL + 1_999), resumption.mayAsk(UNTIL + 2_000)]).toEqual([false, true]);
    resumption.onServed(UNTIL, UNTIL + 2_000);
    expect([resumption.mayAsk(UNTIL + 2_000), resumption.isDue(UNTIL + 2_000)]).toEqual([true, false]);
  });

  it('is asked about five times a second while another process probes, however long that may take', async () => {
    const resumption = await told(2_000);
    expect([resumption.until(UNTIL + 1), resumption.mayAsk(UNTIL + 199), resumption.mayAsk(UNTIL + 200)]).toEqual([
      UNTIL + 200,
      false,
      true,
    ]);
  });

  it('is left by the processes that did not probe within a second, and not by all at once', async () => {
    const untils = await Promise.all([0, 0.25, 1].map(async (random) => (await told('free', random)).until(UNTIL)));
    expect(untils).toEqual([UNTIL, UNTIL + 250, UNTIL + 1_000]);
  });

  it('is left at once by a process that asks for the first time a second after its end, and hears that it is over', async () => {
    const waits = async (at: number, before?: number): Promise<number> => {
      const resumption = new Resumption(() => 0.5);
      resumption.pause(UNTIL);
      if (before !== undefined) await resumption.ask(saying(before), 'me', () => at - before);
      await resumption.ask(saying('free'), 'me', () => at);
      return resumption.until(at) - at;
    };
    expect([await waits(UNTIL + 1_000), await waits(UNTIL + 1_001)]).toEqual([500, 0]);
    // One that waited for the probe of another follows like the others, however late the probe came.
    expect(await waits(UNTIL + 60_000, 200)).toBe(500);
  });

  it('lets no request go without a grant to a process that is not to probe, nor when the probe is late', async () => {
    expect((await told('free')).mayProbe(UNTIL)).toBe(false);
    const resumption = await told('probe');
    expect([resumption.mayProbe(UNTIL + 1_999), resumption.mayProbe(UNTIL + 2_000)]).toEqual([true, false]);
    expect(resumption.until(UNTIL + 2_000)).toBe(UNTIL + 2_001);
  });

  it('may be probed anew by the process whose first probe was not answered', async () => {
    const resumption = await told('probe');
    resumption.onSent();
    await resumption.ask(saying('probe'), 'me', () => UNTIL + 2_000);
    expect(resumption.mayProbe(UNTIL + 2_001)).toBe(true);
  });

  it('that is over holds no process that has not heard of any', () => {
    const resumption = new Resumption(() => 0);
    expect([resumption.mayAsk(5), resumption.mayProbe(5), resumption.isDue(5)]).toEqual([false, false, false]);
  });

  it('that follows another begins anew', async () => {
    const resumption = await told('probe');
    resumption.onSent();
    resumption.pause(UNTIL + 5_000);
    expect([resumption.mayProbe(UNTIL + 10), resumption.until(UNTIL + 10)]).toEqual([false, UNTIL + 5_000]);
  });

  it('that is over, and that this process did not know of, is asked about, too', () => {
    const resumption = new Resumption(() => 0);
    resumption.hear(1, 0);
    expect(resumption.mayAsk(5)).toBe(true);
  });
});

describe('a probe that was served', () => {
  it('is told once, although other requests are served after it, and is followed by no other probe', async () => {
    const resumption = await told('probe');
    // Sent before the process was told to probe.
    resumption.onServed(UNTIL, UNTIL + 50);
    expect([resumption.isDue(UNTIL + 50), resumption.mayProbe(UNTIL + 60)]).toEqual([true, false]);
    const { store } = recording();
    await resumption.tell(store, call, 'me', () => UNTIL + 60);
    resumption.onServed(UNTIL + 1, UNTIL + 70);
    expect(resumption.isDue(UNTIL + 70)).toBe(false);
  });
});

it('a process that is to wait for the probe of another waits no longer than the store says', async () => {
  expect((await told(50)).until(UNTIL + 1)).toBe(UNTIL + 50);
});
