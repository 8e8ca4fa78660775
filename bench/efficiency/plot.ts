import type { Measured } from './trial.ts';

/** Width of the picture. Text of 20 units is 11 pixels high where a phone shows the picture 400 pixels wide. */
const WIDTH = 720;
const LEFT = 76;
const RIGHT = 28;
const INNER = WIDTH - LEFT - RIGHT;

/** Vertical positions: the first panel, the space for its big number, and one request per second. */
const TOP = 118;
const HEAD = 76;
const UNIT = 3.1;
const BETWEEN = 22;

/** Colours for light and dark pages. Blue and orange differ for every kind of colour blindness; refused ones are hatched, too. */
export const COLOURS = {
  light: {
    page: '#ffffff',
    edge: '#d1d9e0',
    text: '#1f2328',
    muted: '#59636e',
    served: '#0969da',
    refused: '#bc4c00',
    hatch: '#ffdfc9',
  },
  dark: {
    page: '#0d1117',
    edge: '#3d444d',
    text: '#f0f6fc',
    muted: '#9ba4ae',
    served: '#58a6ff',
    refused: '#f0883e',
    hatch: '#4a2408',
  },
} as const;

const rules = (scheme: keyof typeof COLOURS): string =>
  Object.entries(COLOURS[scheme])
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';');

const STYLE = `
  svg { ${rules('light')} }
  @media (prefers-color-scheme: dark) { svg { ${rules('dark')} } }
  text { font: 20px system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; fill: var(--text) }
  .headline { font-size: 32px; font-weight: 700 }
  .number { font-size: 56px; font-weight: 700 }
  .word { font-size: 26px; font-weight: 600 }
  .muted { fill: var(--muted) }
  .end { text-anchor: end }
  .middle { text-anchor: middle }
  .page { fill: var(--page); stroke: var(--edge) }
  .served { fill: var(--served) }
  .refused { fill: var(--refused) }
  .hatched { fill: url(#hatch) }
  .hatch { fill: var(--hatch) }
  .axis { fill: none; stroke: var(--edge); stroke-width: 2 }
  .limit { fill: none; stroke: var(--text); stroke-width: 2; stroke-dasharray: 7 5 }`;

/** Content of a plot. */
export interface Plot {
  readonly headline: string;
  /** Description of the load and of the limits. */
  readonly caption: string;
  /** One panel per client, from the top. */
  readonly panels: readonly { readonly title: string; readonly measured: Measured }[];
  /** The limit of a second, in requests. */
  readonly limit: number;
  /** Why no request is sent for a while: the meaning of "wait", which stands in every gap. */
  readonly pause: string;
}

/** Draws the requests of every second against the limit, served ones and refused ones, as an SVG for light and dark pages. */
export function svg({ headline, caption, panels, limit, pause }: Plot): string {
  const seconds = Math.max(...panels.map(({ measured }) => measured.seconds.length));
  const across = (second: number): number => round(LEFT + (second * INNER) / seconds);
  let top = TOP;
  const drawn = panels.map(({ title, measured }) => {
    const most = Math.max(limit, ...measured.seconds.map(({ served, limited }) => served + limited));
    const floor = round(top + HEAD + most * UNIT);
    const height = (count: number): number => round(floor - count * UNIT);
    const label = (count: number): string =>
      `<text class="muted end" x="${LEFT - 8}" y="${height(count) + 7}">${count}/s</text>`;
    const kind = measured.limited === 0 ? 'served' : 'refused';
    const took = `${Math.round(measured.tookMs / 1_000)} s`;
    const all = measured.seconds.map(({ served, limited }) => served + limited);
    const served = measured.seconds.map((second) => second.served);
    const number = count(measured.limited);
    const panel = [
      `<text x="${LEFT}" y="${top + 46}"><tspan class="number ${kind}">${number}</tspan><tspan class="word ${kind}" dx="12">refused</tspan></text>`,
      `<text class="end" x="${WIDTH - RIGHT}" y="${top + 46}">${title} · <tspan font-weight="700">${took}</tspan></text>`,
      ...(measured.limited > 0 ? ['hatch', 'hatched'].map((name) => area(name, all)) : []),
      area('served', served),
      `<path class="axis" d="M${LEFT} ${floor}H${WIDTH - RIGHT}"/>`,
      `<path class="limit" d="M${LEFT} ${height(limit)}H${WIDTH - RIGHT}"/>`,
      label(limit),
      ...(most > limit ? [label(most)] : []),
      ...gaps(all).map(
        ([from, to]) =>
          `<text class="muted middle" x="${round((across(from) + across(to)) / 2)}" y="${height(limit / 2) + 7}">wait</text>`,
      ),
    ];
    top = floor + BETWEEN;
    return panel.join('\n');

    function area(name: string, counts: readonly number[]): string {
      const steps = counts.flatMap((here, second) =>
        here === counts[second - 1] ? [] : [`H${across(second)}V${height(here)}`],
      );
      return `<path class="${name}" d="M${LEFT} ${floor}${steps.join('')}H${across(counts.length)}V${floor}z"/>`;
    }
  });
  const minutes = Array.from({ length: Math.floor(seconds / 60) + 1 }, (_, minute) => minute);
  const key = top + 52;
  const tall = key + 62;

  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${tall}" role="img" aria-labelledby="what">`,
    `<title id="what">${headline} ${panels.map(({ title, measured }) => `${title}: ${count(measured.limited)} refused`).join('; ')}</title>`,
    `<style>${STYLE}\n</style>`,
    '<pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="refused" width="4" height="7"/></pattern>',
    `<rect class="page" x="1" y="1" width="${WIDTH - 2}" height="${tall - 2}" rx="14"/>`,
    `<text class="headline" x="${LEFT}" y="58">${headline}</text>`,
    `<text class="muted" x="${LEFT}" y="92">${caption}</text>`,
    ...drawn,
    ...minutes.map(
      (minute) =>
        `<text class="muted middle" x="${across(minute * 60)}" y="${top + 8}">${minute === 0 ? '0' : `${minute} min`}</text>`,
    ),
    `<rect class="served" x="${LEFT}" y="${key - 15}" width="18" height="18"/><text x="${LEFT + 28}" y="${key}">served</text>`,
    ...['hatch', 'hatched'].map(
      (name) => `<rect class="${name}" x="${LEFT + 130}" y="${key - 15}" width="18" height="18"/>`,
    ),
    `<text x="${LEFT + 158}" y="${key}">refused (429)</text>`,
    `<path class="limit" d="M${LEFT + 330} ${key - 6}h40"/><text x="${LEFT + 380}" y="${key}">limit of a second</text>`,
    `<text class="muted" x="${LEFT}" y="${key + 34}">wait: ${pause}</text>`,
    '</svg>',
    '',
  ].join('\n');
}

/** Stretches without a request that are long enough for a word in them, each from a second to another. */
function gaps(counts: readonly number[]): readonly (readonly [number, number])[] {
  const busy = counts.flatMap((here, second) => (here > 0 ? [second] : []));
  return busy.flatMap((second, index): (readonly [number, number])[] => {
    const next = busy[index + 1] ?? second;
    return next - second > 20 ? [[second + 1, next]] : [];
  });
}

function count(requests: number): string {
  return requests.toLocaleString('en-US');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
