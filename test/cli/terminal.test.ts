import { describe, expect, it } from 'vitest';
import type { Surface } from '../../src/cli/environment.ts';
import { type Bar, barLines, windowBars } from '../../src/cli/progress-bars.ts';
import { hasUtf8, inLocale, Picture, terminalOf, wrap } from '../../src/cli/terminal.ts';
import { instant, moment, span } from '../../src/cli/times.ts';

const ESCAPED_BAR = new RegExp(`${String.fromCharCode(27)}\\[(\\d+)m█`);

const surface = (columns?: number): Surface => ({ write: async () => {}, isTTY: columns !== undefined, columns });

describe('a surface', () => {
  it.for<[name: string, columns: number | undefined, env: Record<string, string>, colours: boolean, redraws: boolean]>([
    ['is coloured and drawn over, if it is a terminal', 80, {}, true, true],
    ['is neither, if it is none', undefined, {}, false, false],
    ['is not coloured, if the user wants none', 80, { NO_COLOR: '1' }, false, true],
    ['is coloured, if NO_COLOR is empty', 80, { NO_COLOR: '' }, true, true],
    ['is neither, if the terminal is dumb', 80, { TERM: 'dumb' }, false, false],
    ['is coloured in a file, if the user insists', undefined, { FORCE_COLOR: '1' }, true, false],
    ['is not, if the user insists on none', undefined, { FORCE_COLOR: '0' }, false, false],
  ])('%s', ([, columns, env, colours, redraws]) => {
    expect(terminalOf(surface(columns), env)).toMatchObject({ colours, redraws });
  });

  it.for<[name: string, columns: number | undefined, env: Record<string, string>, wide: number]>([
    ['as its terminal says, less the last column', 100, { COLUMNS: '30' }, 99],
    ['as COLUMNS says, where there is no terminal', undefined, { COLUMNS: '30' }, 30],
    ['as COLUMNS says, where the terminal knows nothing', 0, { COLUMNS: '30' }, 29],
    ['80 columns, where nobody says anything', undefined, {}, 80],
    ['80 columns, where COLUMNS is nonsense', undefined, { COLUMNS: 'wide' }, 80],
  ])('is as wide %s', ([, columns, env, wide]) => {
    expect(terminalOf(surface(columns), env).columns).toBe(wide);
  });
});

describe('bars', () => {
  const bars = windowBars([
    { window: 'second', limit: 20, left: 5, remark: 'back in 1 s' },
    { window: 'minute', limit: 500, left: 0, remark: 'back in 23 s' },
    { window: 'month', limit: 150_000, left: 149_700 },
  ]);
  const linesAt = (columns: number, colours = false, unicode = true): string[] =>
    barLines(bars, { columns, colours, redraws: false, unicode });

  it('stand below each other', () => {
    expect(linesAt(80)).toEqual([
      'second █████████░░░░░░░░░░░░░░░░░░░░░░░░░░       5 of 20 left       back in 1 s',
      'minute ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░       0 of 500 left      back in 23 s',
      'month  ██████████████████████████████████░ 149,700 of 150,000 left',
    ]);
  });

  it('give way where it is narrow, then remarks do, then the ends of notes', () => {
    expect(linesAt(50)[0]).toBe('second       5 of 20 left       back in 1 s');
    expect(linesAt(40)[0]).toBe('second ██░░░░░░░       5 of 20 left');
    expect(linesAt(30)[2]).toBe('month  149,700 of 150,000 left');
    expect(linesAt(20)[2]).toBe('month  149,700 of…');
  });

  it.for([1, 5, 12, 30, 31, 47, 60, 79, 80, 200])('fit in %i columns', (columns) => {
    expect(Math.max(...linesAt(columns).map((line) => line.length))).toBeLessThanOrEqual(columns);
  });

  it('are in ASCII where the locale has nothing else', () => {
    expect(linesAt(80, false, false)[0]).toMatch(/^second #{9}\.{26} /);
    expect(linesAt(20, false, false)[2]).toBe('month  149,700 of...');
  });

  it('are never shown full or empty unless they are', () => {
    const bar = (part: number): Bar => ({ label: '', part, note: '', colour: 'green' });
    const [most = '', least = ''] = barLines([bar(0.999), bar(0.001)], {
      columns: 12,
      colours: false,
      redraws: false,
      unicode: true,
    });
    expect(most).toContain('░');
    expect(least).toContain('█');
  });

  it('have a colour by what is left', () => {
    const colours = linesAt(80, true).map((line) => ESCAPED_BAR.exec(line)?.[1]);
    expect(colours).toEqual(['33', undefined, '32']);
  });
});

describe('the locale', () => {
  it.for<[env: Record<string, string>, platform: string, has: boolean]>([
    [{ LANG: 'en_GB.UTF-8' }, 'linux', true],
    [{ LANG: 'C.utf8' }, 'linux', true],
    [{ LANG: 'en_GB.UTF-8', LC_ALL: 'C' }, 'linux', false],
    [{ LANG: 'C', LC_CTYPE: 'de_DE.UTF-8' }, 'linux', true],
    [{ LANG: 'de_DE.ISO-8859-1' }, 'linux', false],
    [{ LC_ALL: '', LANG: 'C.UTF-8' }, 'linux', true],
    [{}, 'linux', false],
    [{}, 'win32', true],
  ])('%o on %s has UTF-8: %s', ([env, platform, has]) => {
    expect(hasUtf8(env, platform)).toBe(has);
  });

  it('without it has other signs for those of messages', () => {
    expect(inLocale('a “client’s” end…', false)).toBe('a "client\'s" end...');
    expect(inLocale('a “client’s” end…', true)).toBe('a “client’s” end…');
  });
});

describe('lines', () => {
  it('are broken between words alone', () => {
    expect(wrap('a sentence of some words', 10)).toEqual(['a sentence', 'of some', 'words']);
    expect(wrap('incomprehensibility is long', 10)).toEqual(['incomprehensibility', 'is long']);
    expect(wrap('one\n\n  two three', 6)).toEqual(['one', '', '  two', '  three']);
  });
});

describe('a picture', () => {
  it('is drawn over the one before, however many lines that had', async () => {
    let text = '';
    const picture = new Picture({
      ...surface(80),
      async write(more) {
        text += more;
      },
    });
    await picture.draw(['one', 'two']);
    await picture.draw(['three']);
    expect(text).toBe('one\x1b[K\ntwo\x1b[K\n\x1b[J\r\x1b[2Athree\x1b[K\n\x1b[J');
  });
});

describe('times', () => {
  it.for([
    [0, '0 s'],
    [1, '1 s'],
    [119_000, '119 s'],
    [119_001, '2 min'],
    [7_140_000, '119 min'],
    [7_140_001, '2 h'],
    [169_200_000, '47 h'],
    [169_200_001, '2 days'],
    [-5, '0 s'],
  ] as const)('are never told shorter than they are: %i ms are %s', ([ms, text]) => {
    expect(span(ms)).toBe(text);
  });

  it('are told to the second, and never too early', () => {
    expect(instant(Date.UTC(2026, 0, 1))).toBe('2026-01-01T00:00:00Z');
    expect(instant(Date.UTC(2026, 0, 1) + 1)).toBe('2026-01-01T00:00:01Z');
    expect(moment(Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 1) - 30_000)).toBe('2026-01-01T00:00:00Z (in 30 s)');
  });
});
