import type { Scenario } from './scenario.ts';
import { bursts } from './scenarios/bursts.ts';
import { light } from './scenarios/light.ts';
import { members } from './scenarios/members.ts';
import { month } from './scenarios/month.ts';
import { processTrouble } from './scenarios/process-trouble.ts';
import { redisTrouble } from './scenarios/redis-trouble.ts';
import { oneBusy, saturation } from './scenarios/saturation.ts';
import { shapes } from './scenarios/shapes.ts';
import { uneven } from './scenarios/uneven.ts';
import { urgent } from './scenarios/urgent.ts';

/** Everything that is measured. */
export const scenarios: readonly Scenario[] = [
  ...light,
  ...bursts,
  ...uneven,
  ...saturation,
  oneBusy,
  ...shapes,
  ...redisTrouble,
  ...processTrouble,
  ...month,
  urgent,
  ...members,
];
