import { userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import { systemClock } from '../clock.ts';
import { ConfigError, quote } from '../errors.ts';
import type { QuotaShare } from '../share.ts';
import { fingerprintOf } from '../sharing/fingerprint.ts';
import { checkShareName, readShareOptions } from '../sharing/share-options.ts';
import { storeShare } from '../sharing/store-share.ts';
import { LONGEST_TIMEOUT_MS } from '../sharing/trips/patience.ts';
import { directoryPaths, type HostPaths, pipePaths } from './host-paths.ts';
import { LocalBooks } from './local-books.ts';
import { steadyClock } from './store-clock.ts';

/** Time-out of an operation, in milliseconds: long enough for another process to take over from a host that was waited for longest. */
const TIMEOUT_MS = 2 * LONGEST_TIMEOUT_MS;

/** Number of processes to assume if no host was ever reached. */
const PROCESSES = 8;

/** Options of {@link localShare}. */
export interface LocalShareOptions {
  /** The name of the share, the same in all its processes: 1 to 32 lower-case letters, digits and hyphens. */
  readonly name: string;
  /**
   * The directory of the sockets, the same in all processes: an absolute path. It must belong to the user, and be closed to others. Default:
   * `/tmp/stacks-quota-<user id>`, created with mode 0700. Windows uses named pipes and no directory.
   */
  readonly directory?: string | undefined;
}

const OPTIONS: readonly string[] = ['name', 'directory'];

/**
 * Creates a share that divides the quota of an API key among the processes of one user on one machine, with nothing installed:
 * `node:cluster`, PM2, worker threads, cron jobs. The process that starts first keeps the books in its memory and the others
 * connect to it by a Unix socket in a private directory; when it ends, another one takes over within a second.
 *
 * @throws ConfigError if an option is invalid, or the directory belongs to another user or is read-only.
 *
 * @example
 * ```ts
 * const client = createClient({ share: localShare({ name: 'my-backend' }) });
 * ```
 */
export function localShare(options: LocalShareOptions): QuotaShare {
  const paths = readOptions(options);
  const books = new LocalBooks(paths, systemClock, steadyClock);
  const share = storeShare({
    storeOf: (credential) => books.storeOf(fingerprintOf('stacks-quota', credential)),
    mode: 'partial',
    processes: PROCESSES,
    timeoutMs: TIMEOUT_MS,
  });
  let members = 0;
  return {
    join(member) {
      members++;
      books.open();
      const { part, leave } = share.join(member);
      let isIn = true;
      return {
        part,
        async leave() {
          await leave();
          if (isIn && --members === 0) books.close();
          isIn = false;
        },
      };
    },
  };
}

function readOptions(options: LocalShareOptions): HostPaths {
  const { name, directory } = readShareOptions('localShare', OPTIONS, options);
  checkShareName(name);
  // A relative path would be another directory in a process that was started elsewhere.
  if (directory !== undefined && (typeof directory !== 'string' || !isAbsolute(directory)))
    throw new ConfigError('directory', `must be the absolute path of a directory, not ${quote(directory)}`);
  if (process.platform === 'win32') return pipePaths(userInfo().username, name);
  // Not by TMPDIR or XDG_RUNTIME_DIR: a cron job has other values than a service of the same user.
  return directoryPaths(directory ?? `/tmp/stacks-quota-${process.getuid?.()}`, name);
}
