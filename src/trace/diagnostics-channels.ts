import type { ClientEvent } from '../events.ts';
import { builtInModule } from './built-in-module.ts';

/** The part of a channel of `node:diagnostics_channel` that is used. */
interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

/** Returns the channel of an event type: `stacks-quota:sent` for `sent`. */
type Channels = (type: ClientEvent['type']) => Channel | undefined;

/**
 * The channels of `node:diagnostics_channel` on which events are published, one per type, for tools that observe without being
 * configured in. Without that module, as in a browser, there are none.
 */
export function diagnosticChannels(): Channels {
  const open: ((name: string) => Channel) | undefined = builtInModule('node:diagnostics_channel')?.channel;
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
