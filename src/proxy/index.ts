export type { ProxyOptions } from './options.ts';
export { createProxy, type ListeningProxy, type ListenOptions, type Proxy } from './proxy.ts';
