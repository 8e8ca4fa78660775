/** How numbers and instants are written. */
export interface Format {
  /** `1,234`; rounded down, because what is left is never more than is said. */
  readonly count: (units: number) => string;
  /** `1 call`, `2 calls`. */
  readonly plural: (count: number, one: string, many?: string) => string;
  /** `23 s`, `4 min`, `3 h`, `9 days`; rounded up. */
  readonly span: (ms: number) => string;
  /** `14:03:20`, in the reader's time. */
  readonly time: (at: number) => string;
  /** `24 January`. */
  readonly day: (at: number) => string;
  /** `Saturday 24 January, 14:00`. */
  readonly moment: (at: number) => string;
  /** Begins with a capital letter and ends with a full stop. */
  readonly sentence: (text: string) => string;
}

/** This function runs in the page: it uses nothing from outside. */
export function createFormat(): Format {
  const number = new Intl.NumberFormat('en');
  const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long' });
  const moment = new Intl.DateTimeFormat('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: '2-digit',
    minute: '2-digit',
  });
  const count = (units: number): string => number.format(Math.floor(units));
  return {
    count,
    plural: (amount, one, many = `${one}s`) => `${count(amount)} ${amount === 1 ? one : many}`,
    span: (ms) => {
      const seconds = Math.max(0, Math.ceil(ms / 1_000));
      if (seconds < 120) return `${seconds} s`;
      const minutes = Math.ceil(seconds / 60);
      if (minutes < 120) return `${minutes} min`;
      const hours = Math.ceil(minutes / 60);
      return hours < 48 ? `${hours} h` : `${Math.ceil(hours / 24)} days`;
    },
    time: (at) => time.format(at),
    day: (at) => day.format(at),
    moment: (at) => moment.format(at).replace(' at ', ', '),
    sentence: (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`,
  };
}
