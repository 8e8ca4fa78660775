/** One way to make calls. */
export interface Subject {
  readonly name: string;
  readonly call: () => Promise<unknown>;
}

/** Duration of a call in microseconds. */
export interface Score {
  readonly name: string;
  /** CPU time of all threads, including garbage collection and compilation, over all rounds. */
  readonly cpu: number;
  /** Elapsed time, first decile of the rounds: the least disturbed by other processes. */
  readonly time: number;
}

/** Size of a comparison. */
export interface Pace {
  /** Many short rounds, so that some are undisturbed on a busy machine. */
  readonly rounds: number;
  /** Calls per round. */
  readonly calls: number;
  /** Calls before the first round: tens of thousands are needed until all layers are compiled. */
  readonly warmUp: number;
  readonly inFlight: number;
}

/** Runs every subject in every round, so that other load on the machine affects all of them equally. */
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

/** The first decile. */
export function firstDecile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)] ?? Number.NaN;
}
