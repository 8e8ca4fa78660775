import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** Whether there is a redis-server on this machine. Where all is checked there must be. */
export const hasRedis: boolean = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis && process.env.CI) throw new Error('There is no redis-server here, and CI must have one.');

/** A real server of our own, on a free port of the loopback. */
export interface RedisServer {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
  /** Ends it, and starts another on the same port, which has forgotten everything. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();

/** Ports that are tried: a connection of another test may take one between its choice and the server's start. */
const PORTS = 5;

/** Starts a server. What it holds is kept in memory alone. */
export async function startRedis(...settings: string[]): Promise<RedisServer> {
  let port = 0;
  let child: ChildProcess | undefined;
  for (let tries = 0; !child && tries < PORTS; tries++) {
    port = await freePort();
    child = await open(port, settings);
  }
  const end = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  if (!child) throw new Error('redis-server does not start');
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    get pid() {
      return child?.pid ?? 0;
    },
    restart: async () => {
      await end();
      child = await open(port, settings);
      if (!child) throw new Error('redis-server does not start again');
    },
    stop: end,
  };
}

process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a server on a port; undefined: it ended, because the port is taken. */
async function open(port: number, settings: readonly string[]): Promise<ChildProcess | undefined> {
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--daemonize', 'no'];
  const child = spawn('redis-server', [...own, ...settings], { stdio: 'ignore' });
  running.add(child);
  child.once('exit', () => running.delete(child));
  for (let tries = 0; tries < 500; tries++) {
    if (child.exitCode !== null) return undefined;
    if (await answers(port)) return child;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('redis-server does not answer');
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (reply) => {
      socket.destroy();
      resolve(reply.toString().startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
