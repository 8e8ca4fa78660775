import { mswHandlers } from './msw-handlers.ts';
import type { MockServiceOptions } from './options.ts';
import { createBareService, type MockService } from './service.ts';

/**
 * Creates a mock of the service. Without options it behaves like the real service, as far as that is known.
 *
 * @example
 * ```ts
 * const clock = virtualClock();
 * const service = createMockService({ clock, keyless: { minute: 5 } });
 * const response = await service.fetch(`${service.origin}/extended/v1/info`);
 * response.headers.get('x-ratelimit-remaining-stacks-minute'); // '4'
 * ```
 */
export function createMockService(options: MockServiceOptions = {}): MockService {
  const service = createBareService(options);
  // Extended in place: a copy would freeze the counters.
  return Object.assign(service, { handlers: mswHandlers(service) });
}
