/** One way to make calls. */
export interface Subject {
  readonly name: string;
  readonly call: () => Promise<unknown>;
}

/** What a call took, in microseconds of CPU (all threads) and of time. */
export interface Score {
  readonly name: string;
  readonly cpu: readonly number[];
  readonly wall: readonly number[];
}

/** How long to compare. */
export interface Pace {
  readonly rounds: number;
  /** Calls before the first round: the compiler takes tens of thousands to be done with so many layers. */
  readonly warmUp: number;
  /** Calls a round. A round of a few milliseconds is too short for the kernel's reckoning of CPU. */
  readonly calls: number;
  readonly inFlight: number;
}

/** Runs every subject in every round, so that whatever else the machine does strikes all alike. */
export async function compare(
  subjects: readonly Subject[],
  { rounds, warmUp, calls, inFlight }: Pace,
): Promise<readonly Score[]> {
  const scores = subjects.map(({ name }) => ({ name, cpu: [] as number[], wall: [] as number[] }));
  for (const { call } of subjects) await run(call, warmUp, inFlight);
  for (let round = 0; round < rounds; round++) {
    for (const [index, { call }] of subjects.entries()) {
      const cpu = process.cpuUsage();
      const start = performance.now();
      await run(call, calls, inFlight);
      const wall = performance.now() - start;
      const { user, system } = process.cpuUsage(cpu);
      scores[index]?.cpu.push((user + system) / calls);
      scores[index]?.wall.push((wall * 1_000) / calls);
    }
  }
  return scores;
}

async function run(call: () => Promise<unknown>, calls: number, inFlight: number): Promise<void> {
  let left = calls;
  const work = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: inFlight }, work));
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

export function least(values: readonly number[]): number {
  return Math.min(...values);
}

/** The median over the rounds of what `reckon` makes of a round's two numbers. */
export function paired(
  values: readonly number[],
  base: readonly number[],
  reckon: (value: number, base: number) => number,
): number {
  return median(values.map((value, round) => reckon(value, base[round] ?? Number.NaN)));
}
