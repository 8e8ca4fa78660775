import { describe, expect, it } from 'vitest';
import { readFlags } from '../../examples/bulk-assets/flags.ts';

describe('the flags of the bulk example', () => {
  it('are all optional', () => {
    const mock = { perSecond: undefined, perMinute: undefined, latencyMs: undefined };
    expect(readFlags([])).toEqual({ help: false, file: undefined, limit: Infinity, mock });
  });

  it('say what to ask for, and what the mock is like', () => {
    const argv = ['--limit', '7', '--per-second=3', '--per-minute', '40', '--latency', '20-200', 'some.txt'];
    const mock = { perSecond: 3, perMinute: 40, latencyMs: [20, 200] };
    expect(readFlags(argv)).toEqual({ help: false, file: 'some.txt', limit: 7, mock });
  });

  it('take one latency for all exchanges', () => {
    expect(readFlags(['--latency', '0']).mock.latencyMs).toEqual([0, 0]);
  });

  it.for([
    [['--bogus'], "Unknown option '--bogus'. Try --help."],
    [['-x'], "Unknown option '-x'. Try --help."],
    [['--limit'], "Option '--limit <value>' argument missing. Try --help."],
    [['--help=no'], "Option '--help' does not take an argument. Try --help."],
    [['--limit', 'many'], '--limit must be a whole number, 1 or more, not "many".'],
    [['--limit', '0'], '--limit must be a whole number, 1 or more, not "0".'],
    [['--per-second', '1.5'], '--per-second must be a whole number, 1 or more, not "1.5".'],
    [['--per-minute', '1e3'], '--per-minute must be a whole number, 1 or more, not "1e3".'],
    [['--latency', '200-20'], '--latency must be milliseconds such as 50 or 20-200, not "200-20".'],
    [['--latency', 'slow'], '--latency must be milliseconds such as 50 or 20-200, not "slow".'],
    [['one', 'two'], 'Pass one file of addresses, not 2.'],
  ] as const)('that make no sense are refused in a sentence: %j', ([argv, sentence]) => {
    expect(() => readFlags(argv)).toThrow(new Error(sentence));
  });
});
