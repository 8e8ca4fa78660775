import { describe, expect, it } from 'vitest';
import { OpenCalls } from '../../src/scheduler/open-calls.ts';

describe('the calls that are not finished', () => {
  it('are none at once where none was made', async () => {
    await new OpenCalls().none();
  });

  it('are none for all who wait for that, and for the listener, when the last has ended', async () => {
    const told: string[] = [];
    const open = new OpenCalls(() => told.push('listener'));
    for (let nth = 0; nth < 2; nth++) open.begin();
    const waits = ['one', 'other'].map((name) => open.none().then(() => told.push(name)));
    open.end();
    await undefined;
    expect([open.count, told]).toEqual([1, []]);
    open.end();
    await Promise.all(waits);
    expect(told).toEqual(['listener', 'one', 'other']);
  });

  it('are those that were announced, until they were made or will not be', () => {
    const open = new OpenCalls();
    const [made, other] = [open.announce(), open.announce()];
    open.begin();
    made();
    expect([open.count, open.announced]).toEqual([2, 1]);
    other();
    expect([open.count, open.announced]).toEqual([1, 0]);
  });

  it('are those whose bodies are read, until that has ended well or not', async () => {
    const open = new OpenCalls();
    const read = open.follow(Promise.resolve('read'));
    const lost = open.follow(Promise.reject(new Error('lost')));
    expect(open.count).toBe(2);
    expect(await read).toBe('read');
    await expect(lost).rejects.toThrow('lost');
    expect(open.count).toBe(0);
  });
});
