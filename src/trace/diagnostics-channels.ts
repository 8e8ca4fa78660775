import type { ClientEvent } from '../events.ts';

/** As much of a channel of `node:diagnostics_channel` as is used. */
interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

/** Gives the channel of an event's type: `stacks-quota:sent` for `sent`. */
type Channels = (type: ClientEvent['type']) => Channel | undefined;

/**
 * The channels of `node:diagnostics_channel` on which events are published, one per type, for tools that observe without being
 * configured in. Where there is no such module, as in a browser, there are none.
 */
export function diagnosticChannels(): Channels {
  const open = opener();
  if (!open) return () => undefined;
  const channels = new Map<string, Channel>();
  return (type) => {
    let channel = channels.get(type);
    if (!channel) {
      channel = open(`stacks-quota:${type}`);
      channels.set(type, channel);
    }
    return channel;
  };
}

/** Asked of the process, because an import would keep the client out of every bundle for a browser. */
function opener(): ((name: string) => Channel) | undefined {
  try {
    return globalThis.process?.getBuiltinModule?.('node:diagnostics_channel').channel;
  } catch {
    return undefined;
  }
}
