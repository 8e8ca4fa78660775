import type { Subject } from './subject.ts';
import { bottleneck } from './subjects/bottleneck.ts';
import { rateLimiterFlexible } from './subjects/rate-limiter-flexible.ts';
import { alone, local, sharing, unshared } from './subjects/stacks-quota.ts';

const subjects: readonly Subject[] = [sharing, local, unshared, alone, rateLimiterFlexible, bottleneck];

/** @throws Error if there is none of that name. */
export function subjectNamed(name: string): Subject {
  const subject = subjects.find((one) => one.name === name);
  if (!subject) throw new Error(`No subject is called ${name}.`);
  return subject;
}
