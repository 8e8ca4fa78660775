import type { Measured } from './trial.ts';

const WIDTH = 860;
const LEFT = 48;
const RIGHT = 12;
const PANEL = 150;
const GAP = 46;
const TOP = 64;

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600 }
  .small { font-size: 11px; fill: #59636e }
  .served { fill: #1a7f37 }
  .limited { fill: #cf222e }
  .limit { stroke: #0969da; stroke-width: 1.5; stroke-dasharray: 6 4 }
  .axis { stroke: #d1d9e0 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .small { fill: #9198a1 }
    .served { fill: #3fb950 }
    .limited { fill: #f85149 }
    .limit { stroke: #4493f8 }
    .axis { stroke: #3d444d }
  }`;

/** Content of a plot. */
export interface Plot {
  /** Description of the load. */
  readonly caption: string;
  /** One panel per row, from the top. */
  readonly panels: readonly { readonly title: string; readonly measured: Measured }[];
  /** The limit of a second, in requests. */
  readonly limit: number;
  /** Number of seconds shown, from the start. */
  readonly seconds: number;
}

/** Draws the requests of every second against the limit, served ones and limited ones, as an SVG for light and dark pages. */
export function svg({ caption, panels, limit, seconds }: Plot): string {
  const height = TOP + panels.length * (PANEL + GAP) - GAP / 2;
  const inner = WIDTH - LEFT - RIGHT;
  const step = inner / seconds;
  const shown = panels.map(({ measured }) => measured.seconds.slice(0, seconds));
  const most = Math.max(limit, ...shown.flatMap((all) => all.map(({ served, limited }) => served + limited)));
  const scale = (count: number): number => (count * PANEL) / (most * 1.05);

  const panel = ({ title, measured }: Plot['panels'][number], index: number): string => {
    const floor = TOP + index * (PANEL + GAP) + PANEL;
    const bar = (second: number, from: number, count: number): string =>
      `M${round(LEFT + second * step)} ${round(floor - scale(from))}h${round(step * 0.8)}v-${round(scale(count))}h-${round(step * 0.8)}z`;
    const served = (shown[index] ?? []).map(({ served }, at) => (served > 0 ? bar(at, 0, served) : '')).join('');
    const limited = (shown[index] ?? [])
      .map(({ served, limited }, at) => (limited > 0 ? bar(at, served, limited) : ''))
      .join('');
    const line = round(floor - scale(limit));
    const minutes = Array.from({ length: Math.ceil(seconds / 30) }, (_, count) => count * 30)
      .map((at) => `<text class="small" x="${round(LEFT + at * step)}" y="${floor + 16}">${at} s</text>`)
      .join('');
    const said = `${title}: ${measured.limited} limited, ${Math.round(measured.tookMs / 1_000)} s in all`;
    return [
      `<text class="title" x="${LEFT}" y="${floor - PANEL - 8}">${said}</text>`,
      `<path class="served" d="${served}"/>`,
      `<path class="limited" d="${limited}"/>`,
      `<path class="axis" d="M${LEFT} ${floor}h${inner}"/>`,
      `<path class="limit" d="M${LEFT} ${line}h${inner}"/>`,
      `<text class="small" x="${LEFT - 6}" y="${line + 4}" text-anchor="end">${limit}/s</text>`,
      minutes,
    ].join('\n');
  };

  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="what">`,
    `<title id="what">Requests per second against the limit, ours above and only retries below</title>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="served" x="${LEFT}" y="12" width="10" height="10"/><text x="${LEFT + 16}" y="22">served</text>`,
    `<rect class="limited" x="${LEFT + 80}" y="12" width="10" height="10"/><text x="${LEFT + 96}" y="22">limited</text>`,
    `<path class="limit" d="M${LEFT + 164} 17h24"/><text x="${LEFT + 194}" y="22">limit of a second</text>`,
    `<text class="small" x="${WIDTH - RIGHT}" y="22" text-anchor="end">${caption}</text>`,
    ...panels.map(panel),
    '</svg>',
    '',
  ].join('\n');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
