/** No value worth reading is longer; the cap keeps the work on a hostile header small. */
const LONGEST_VALUE = 256;

/** A comma between two values: not the one inside `Wed, 05 Nov 2026 …` or `Wednesday, 05-Nov-26 …`. */
const SEPARATOR = /,(?! \d\d[ -][A-Z])/;

/** No sign, no exponent, no hexadecimal, no `Infinity`: `Number` alone would take them all, and '' as 0. */
const DECIMAL = /^\d{1,15}(?:\.\d{1,6})?$/;

/** A number of more digits than any that is read. */
const TOO_LONG = /^\d{16,}(?:\.\d*)?$/;

const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const LONG_DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day';
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const TIME = '\\d\\d:\\d\\d:\\d\\d';
const IMF_FIXDATE = new RegExp(`^${DAY}, \\d\\d ${MONTH} \\d{4} ${TIME} GMT$`);
const ASCTIME = new RegExp(`^${DAY} (${MONTH}) ([ \\d]\\d) (${TIME}) (\\d{4})$`);
const RFC_850 = new RegExp(`^${LONG_DAY}, (\\d\\d)-(${MONTH})-(\\d\\d) (${TIME}) GMT$`);
const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/**
 * Reads a header that may have been sent more than once, and so arrives as `3, 5`.
 *
 * @param choose - which of two readable values counts; `undefined` when they contradict each other.
 * @param now - handed on to `readOne`.
 * @returns `undefined` unless every part can be read. Of a value that is too long only the beginning is offered.
 */
export function readList(
  value: string,
  readOne: (part: string, now: number) => number | undefined,
  choose: (a: number, b: number) => number | undefined,
  now: number = 0,
): number | undefined {
  if (value.length > LONGEST_VALUE) return readOne(value.slice(0, LONGEST_VALUE), now);
  const whole = readOne(value, now);
  if (whole !== undefined) return whole;
  return value
    .split(SEPARATOR)
    .map((part) => readOne(part.trim(), now))
    .reduce((a, b) => (a === undefined || b === undefined ? undefined : choose(a, b)));
}

/** Reads a plain number that is not negative: up to 15 digits, up to 6 decimals. */
export function readDecimal(text: string): number | undefined {
  return DECIMAL.test(text) ? Number(text) : undefined;
}

/** Whether a text is a number, but longer than any that is read. */
export function isTooLongToRead(text: string): boolean {
  return TOO_LONG.test(text);
}

/** Reads a number as {@link readDecimal} does and rounds it down. */
export function readWhole(text: string): number | undefined {
  return DECIMAL.test(text) ? Math.floor(Number(text)) : undefined;
}

/** Reads seconds, fractions allowed, as whole milliseconds, rounded up. */
export function readSeconds(text: string): number | undefined {
  // The point is shifted in the text, because 1000 times a fraction is inexact: 2.007 * 1000 > 2007.
  return DECIMAL.test(text) ? Math.ceil(Number(`${text}e3`)) : undefined;
}

/**
 * Reads an HTTP-date in the three forms of RFC 9110, section 5.6.7, all of which a recipient must accept. The name of
 * the day is not compared with the date: it adds nothing. Years before 1970 are not read.
 *
 * @param now - tells the century of an RFC 850 date, which has a two-digit year. Milliseconds since the Unix epoch.
 * @returns milliseconds since the Unix epoch.
 */
export function readHttpDate(text: string, now: number): number | undefined {
  if (text === lastDate.text) return lastDate.instant;
  if (IMF_FIXDATE.test(text)) {
    lastDate = { text, instant: instantOf(text.slice(5)) };
    return lastDate.instant;
  }
  const [, month = '', day = '', time = '', year = ''] = ASCTIME.exec(text) ?? [];
  if (year) return instantOf(`${day.replace(' ', '0')} ${month} ${year} ${time}`);
  return readRfc850(text, now);
}

/** The date that was read last, in the form of nearly all: many answers are of the same second. */
let lastDate: { readonly text: string; readonly instant: number | undefined } = { text: '', instant: undefined };

/** The two-digit year stands for the latest year that does not put the date more than 50 years ahead. */
function readRfc850(text: string, now: number): number | undefined {
  const [, day, month, year, time] = RFC_850.exec(text) ?? [];
  if (year === undefined) return undefined;
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + 50);
  const century = Math.floor(latest.getUTCFullYear() / 100);
  const inCentury = (first: number): number | undefined => instantOf(`${day} ${month} ${first}${year} ${time}`);
  const near = inCentury(century);
  return near !== undefined && near <= latest.getTime() ? near : inCentury(century - 1);
}

/** Reads `05 Nov 2026 10:00:00` by column: every response has a date, and captured groups take twice as long. */
function instantOf(text: string): number | undefined {
  const two = (column: number): number => text.charCodeAt(column) * 10 + text.charCodeAt(column + 1) - 11 * 48;
  const day = two(0);
  const month = MONTHS.indexOf(text.slice(3, 6)) / 3;
  const year = two(7) * 100 + two(9);
  const [hour, minute, second] = [two(12), two(15), two(18)];
  if (year < 1970 || minute > 59 || second > 60) return undefined;
  // A leap second, :60, has no place in Unix time and is read as the second before it.
  const at = Date.UTC(year, month, day, hour, minute, Math.min(second, 59));
  // An hour past 23 ends on another day, just as the 31st of November does.
  return new Date(at).getUTCDate() === day ? at : undefined;
}
