import { describe, expect, it } from 'vitest';
import { KeptStore } from '../../src/local/kept-store.ts';
import { type Operation, remoteStore } from '../../src/sharing/store/operations.ts';
import type { ShareStore } from '../../src/sharing/store/store.ts';
import { asking, slotAsk } from '../../src/testing/share/asking.ts';
import { testFolder } from '../support/folder.ts';

const { newPath } = testFolder();

describe('the store that a host keeps', () => {
  it.each([1, 2, 50, 100, 101, 230])('is the same in the next host after %i operations', async (count) => {
    const path = newPath();
    let now = Date.UTC(2026, 2, 10, 14, 0, 7);
    const open = (): ShareStore => {
      const kept = new KeptStore(path, () => now);
      return remoteStore((operation: Operation) => kept.perform(operation, JSON.stringify({ operation })));
    };
    const [first, reference] = [open(), open()];
    for (let turn = 1; turn <= count; turn++) {
      now += 3;
      if (turn % 10 === 4) await first.share(-1, new Map([['l:minute', String(500 + turn)]]));
      else if (turn % 10 === 5) await first.look(`member ${turn}`);
      else if (turn % 10 === 7) await first.pause(turn * 10);
      else
        await first.take(
          asking({
            member: `${turn % 4}`,
            sequence: turn,
            want: 3,
            isSign: turn % 3 > 0,
            slots: [slotAsk({ total: 0 })],
          }),
        );
    }
    const next = open();
    const seen = async (store: ShareStore): Promise<unknown[]> => [
      await store.share(-1, new Map()),
      await store.take(asking({ member: 'x', sequence: 1, want: 9, isSign: true })),
      await store.look('x'),
      await store.resume('x'),
    ];
    // The time does not pass, so the first one and the next one say the same; an empty one says something else.
    const said = await seen(next);
    expect(said).toEqual(await seen(first));
    expect(said).not.toEqual(await seen(reference));
  });

  it('is made by the next host although an operation failed', async () => {
    const path = newPath();
    const first = new KeptStore(path, () => 1_000);
    const unknown = { do: 'nothing' } as unknown as Operation;
    await first.perform({ do: 'look', member: 'a' }, '{"operation":{"do":"look","member":"a"}}');
    await expect(first.perform(unknown, '{"operation":{"do":"nothing"}}')).rejects.toThrow('unknown operation');
    // A failure that no one handles would end the process.
    const look = { do: 'look', member: 'b' } as const;
    expect(await new KeptStore(path, () => 1_300).perform(look, JSON.stringify({ operation: look }))).toBe(700);
  });
});
