import { type ClientOptions, readSettings, type Settings } from '../../../src/options/client-options.ts';
import type { KeyEnvironment } from '../../../src/options/credentials.ts';

export const KEY = 'sk_live_0123456789abcdef';

const server: KeyEnvironment = { browser: false, variables: {} };

/** The settings that options make, on a server without variables. Stands for callers without types. */
export const settings = (options?: unknown, environment: KeyEnvironment = server): Settings =>
  readSettings(options as ClientOptions, environment);
