/**
 * An HTTP proxy that paces the requests of any program.
 *
 * @module stacks-quota/proxy
 */

export type { ProxyOptions } from './options.ts';
export { createProxy, type ListeningProxy, type ListenOptions, type Proxy } from './proxy.ts';
