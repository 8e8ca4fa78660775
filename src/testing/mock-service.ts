import { mswHandlers } from './msw-handlers.ts';
import type { MockServiceOptions } from './options.ts';
import { createBareService, type MockService } from './service.ts';

/**
 * Makes a service. Without options it is as much like the real one as is known.
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
  // Not a copy, which would keep the counts as they are now.
  return Object.assign(service, { handlers: mswHandlers(service) });
}
