import type { ClientOptions } from 'stacks-quota';
import { createMockService } from 'stacks-quota/testing';
import type { Flags } from './flags.ts';
import type { CalendarWindow } from './shortest.ts';

/** The service that is asked. */
export interface Service {
  /** How the client reaches it. */
  readonly access: Pick<ClientOptions, 'baseUrl' | 'apiKey'>;
  /** A line for people. */
  readonly title: string;
  /** What only the mock can tell: the truth about its clock and its limits, and its own count of what it refused. */
  readonly truth?: {
    readonly time: () => number;
    readonly windows: readonly CalendarWindow[];
    readonly requests: number;
    readonly limited: number;
  };
  close(): Promise<void>;
}

/** The live service that STACKS_API_URL names; the client finds it, and its key, by itself. */
export function liveService(url: string, { mock }: Flags): Service {
  if (Object.values(mock).some((value) => value !== undefined)) {
    throw new Error('--per-second, --per-minute and --latency are for the mock: unset STACKS_API_URL to use them.');
  }
  return { access: {}, title: `the service at ${url}`, close: async () => {} };
}

/** A mock of the service behind a real socket on this machine. */
export async function mockService({ mock }: Flags): Promise<Service> {
  const { perSecond = 20, perMinute = 240, latencyMs = [20, 200] } = mock;
  const apiKey = 'a-key-of-the-mock';
  // Its clock is set so that its minute turns some 15 seconds after the start: then both windows can be seen at work.
  const ahead = 45 - (Math.floor(Date.now() / 1_000) % 60);
  const keyed = { second: perSecond, minute: perMinute, month: 150_000 };
  const service = createMockService({ keys: [apiKey], keyed, latencyMs, skewMs: ahead * 1_000 });
  const { url, close } = await service.listen();
  return {
    access: { baseUrl: url, apiKey },
    title: `a mock of the service, its clock ${Math.abs(ahead)} s ${ahead < 0 ? 'behind' : 'ahead'}`,
    truth: {
      time: service.time,
      windows: (['second', 'minute', 'month'] as const).map((period) => ({
        period,
        limit: keyed[period],
        left: keyed[period],
      })),
      get requests() {
        return service.requests;
      },
      get limited() {
        return service.limited;
      },
    },
    close,
  };
}
