import type { ClientOptions } from 'stacks-quota';
import { createMockService } from 'stacks-quota/testing';
import type { Flags } from './flags.ts';
import type { CalendarWindow } from './shortest.ts';

/** The service to call. */
export interface Service {
  /** Options of the client for it. */
  readonly access: Pick<ClientOptions, 'baseUrl' | 'apiKey'>;
  /** Its name for people. */
  readonly title: string;
  /** Known only for the mock: its clock, its limits, and its own count of requests and refusals. */
  readonly truth?: {
    readonly time: () => number;
    readonly windows: readonly CalendarWindow[];
    readonly requests: number;
    readonly limited: number;
  };
  close(): Promise<void>;
}

/** The live service of STACKS_API_URL. The client reads the URL and the key from the environment itself. */
export function liveService(url: string, { mock }: Flags): Service {
  if (Object.values(mock).some((value) => value !== undefined)) {
    throw new Error('--per-second, --per-minute and --latency are for the mock: unset STACKS_API_URL to use them.');
  }
  return { access: {}, title: `the service at ${url}`, close: async () => {} };
}

/** A mock of the service on a real port of this machine. */
export async function mockService({ mock }: Flags): Promise<Service> {
  const { perSecond = 20, perMinute = 240, latencyMs = [20, 200] } = mock;
  const apiKey = 'a-key-of-the-mock';
  // Its clock is set so that a minute ends about 15 seconds after the start: then both windows can be seen to reset.
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
