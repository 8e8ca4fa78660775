import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { Cluster, Redis } from 'ioredis';
import { createCluster } from 'redis';
import { expect, vi } from 'vitest';
import { startRedis } from './server.ts';

/** A cluster of one node, and connections to it. */
export interface RedisCluster {
  /** To the node itself. */
  readonly plain: Redis;
  /** To the cluster, of each package. */
  readonly clients: readonly unknown[];
  stop(): Promise<void>;
}

/** Starts a cluster. */
export async function startCluster(): Promise<RedisCluster> {
  const settings = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1', '--dir', tmpdir()];
  const node = await startRedis(...settings, '--cluster-config-file', `nodes-${randomUUID()}.conf`);
  const plain = new Redis(node.url);
  await plain.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await vi.waitFor(async () => expect(await plain.call('CLUSTER', 'INFO')).toContain('cluster_state:ok'), 20_000);
  const viaIoredis = new Cluster([{ host: '127.0.0.1', port: node.port }]);
  const viaNodeRedis = createCluster({ rootNodes: [{ url: node.url }] });
  await viaNodeRedis.connect();
  return {
    plain,
    clients: [viaIoredis, viaNodeRedis],
    async stop() {
      viaIoredis.disconnect();
      viaNodeRedis.destroy();
      plain.disconnect();
      await node.stop();
    },
  };
}
