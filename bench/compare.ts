/** One way to make calls. */
export interface Subject {
  readonly name: string;
  readonly call: () => Promise<unknown>;
}

/** What a call took, in microseconds. */
export interface Score {
  readonly name: string;
  /** CPU of all threads, the collector's and the compiler's included, over all rounds. */
  readonly cpu: number;
  /** Time, in the first decile of the rounds: undisturbed, save by what the machine shares below the kernel. */
  readonly time: number;
}

/** How long to compare. */
export interface Pace {
  /** Many and short, so that some are undisturbed on the busiest machine. */
  readonly rounds: number;
  /** Calls a round. */
  readonly calls: number;
  /** Calls before the first round: the compiler takes tens of thousands to be done with so many layers. */
  readonly warmUp: number;
  readonly inFlight: number;
}

/** Runs every subject in every round, so that whatever else the machine does strikes all alike. */
export async function compare(
  subjects: readonly Subject[],
  { rounds, calls, warmUp, inFlight }: Pace,
): Promise<readonly Score[]> {
  const runs = subjects.map(({ name, call }) => ({ name, call, cpu: 0, times: [] as number[] }));
  for (const { call } of runs) await repeat(call, warmUp, inFlight);
  for (let round = 0; round < rounds; round++) {
    for (const run of runs) {
      const before = process.cpuUsage();
      const start = performance.now();
      await repeat(run.call, calls, inFlight);
      run.times.push(((performance.now() - start) * 1_000) / calls);
      const { user, system } = process.cpuUsage(before);
      run.cpu += (user + system) / (rounds * calls);
    }
  }
  return runs.map(({ name, cpu, times }) => ({ name, cpu, time: firstDecile(times) }));
}

async function repeat(call: () => Promise<unknown>, calls: number, inFlight: number): Promise<void> {
  let left = calls;
  const work = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: inFlight }, work));
}

/** What a tenth of the values stays below. */
export function firstDecile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)] ?? Number.NaN;
}
