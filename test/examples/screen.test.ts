import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Progress, picture, screenOn } from '../../examples/bulk-assets/screen.ts';

const window = (name: string, limit: number, headroom: number) => ({
  window: name,
  limit,
  headroom,
  remaining: headroom,
  seenAt: new Date(0),
  end: 'unknown' as const,
  shapes: [],
});
const progress = (done: number): Progress => ({
  total: 300,
  done,
  limited: 0,
  quota: {
    windows: [window('second', 20, 5), window('minute', 150, 0), window('month', 150_000, 149_700)],
    inFlight: 4,
    held: 4,
    waiting: 296 - done,
  },
  etaMs: 9_400,
  why: 'the minute is full',
});

/** What stands where text is written: a terminal of that width, or a file. */
function surface(columns?: number): { text: string; write(text: string): void; isTTY?: boolean; columns?: number } {
  return {
    text: '',
    write(text) {
      this.text += text;
    },
    ...(columns === undefined ? {} : { isTTY: true, columns }),
  };
}

describe('the picture', () => {
  it('shows how far the work is, what is left of each window, and why nothing goes', () => {
    expect(picture(progress(150), 79).map(stripVTControlCharacters)).toEqual([
      'done     ███████████████████░░░░░░░░░░░░░░░░░░░ 150 of 300    50 %   10 s to go',
      'second   ██████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  5 of 20 left',
      'minute   ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   0 of 150 left',
      'month    ████████████████████████████████████████ 149,700 of 150,000 left',
      '4 in flight, 0 refused, 146 waiting: the minute is full',
    ]);
  });

  it.for([1, 8, 20, 34, 50, 80, 200])('fits on a terminal of %i columns', (columns) => {
    const widths = picture(progress(0), columns).map((line) => stripVTControlCharacters(line).length);
    expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
  });
});

describe('on a terminal, the screen', () => {
  it('is drawn in place: it goes up by as many lines as it drew, and clears them', () => {
    const terminal = surface(80);
    const screen = screenOn(terminal, false);
    screen.show(progress(10));
    const first = terminal.text;
    terminal.text = '';
    screen.show(progress(11));
    expect(first.split('\n')).toHaveLength(6);
    expect(terminal.text.startsWith('\r\x1b[5A\x1b[J')).toBe(true);
  });

  it('hides the cursor while it is drawn, and shows it again at the end', () => {
    const terminal = surface(80);
    const screen = screenOn(terminal, false);
    screen.show(progress(10));
    expect(terminal.text.startsWith('\x1b[?25l')).toBe(true);
    screen.end(progress(300));
    expect(terminal.text.endsWith('\x1b[?25h')).toBe(true);
  });
});

describe.for([
  ['in a file', surface(), false],
  ['on a terminal that cannot move its cursor', surface(80), true],
] as const)('%s, the screen', ([, place, isDumb]) => {
  it('is a line of text for every tenth of the work', () => {
    const screen = screenOn(place, isDumb);
    for (let done = 0; done <= 300; done++) screen.show(progress(done));
    screen.end(progress(300));
    const lines = place.text.trimEnd().split('\n');
    expect(lines).toHaveLength(10);
    expect(lines[0]).toBe('30 of 300, 0 refused, second 5/20, minute 0/150, month 149,700/150,000, 10 s to go');
  });
});
