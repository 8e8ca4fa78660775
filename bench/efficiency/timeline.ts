import type { Measured } from './trial.ts';

/** Prints the requests of every second of the service's clock, ten per row: served ones and, after an exclamation mark, refused ones. */
export function timeline({ scenario, contender, seed, utilisation, tookMs, shortestMs, seconds }: Measured): string {
  const cells = seconds.map(({ served, limited }) => `${served || '.'}${limited > 0 ? `!${limited}` : ''}`);
  const tens = Array.from({ length: Math.ceil(cells.length / 10) }, (_, ten) => {
    const column = cells.slice(10 * ten, 10 * ten + 10);
    return `${String(10 * ten).padStart(6)} | ${column.map((cell) => cell.padEnd(3)).join(' ')}`;
  });
  const [took, shortest] = [tookMs, shortestMs].map((ms) => (ms / 1_000).toFixed(1));
  const title = `${scenario}, ${contender}, seed ${seed}: ${took} s, ${shortest} s at best, used ${utilisation.toFixed(3)}`;
  return [title, ...tens].join('\n');
}
