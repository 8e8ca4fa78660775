import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MockService } from '../../src/testing/index.ts';

/** A function with a client outside of it. It leaves calls behind that the next invocation asks for. */
const HANDLER = `
import { createClient } from 'stacks-quota';
const client = createClient();
const call = async () => {
  const response = await client.fetch('/extended/v1/info');
  await response.text();
  return String(response.status);
};
const calls = (count) => Promise.all(Array.from({ length: count }, () => call().catch(String)));
let left = calls(0);
export async function handler({ count, leaves }) {
  const answers = [...(await calls(count)), ...(await left)];
  left = calls(leaves);
  return answers;
}
`;

/** What AWS's own runtime does: asks for an invocation, calls the function, tells its result, and asks for the next. */
const BOOTSTRAP = `
import { Agent, request } from 'node:http';
import { handler } from './handler.mjs';
const [host, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(':');
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const ask = (method, path, body) =>
  new Promise((resolve, reject) => {
    const options = { host, port, method, path: '/2018-06-01/runtime/invocation/' + path, agent };
    request(options, async (response) => {
      const id = response.headers['lambda-runtime-aws-request-id'];
      resolve({ id, text: Buffer.concat(await response.toArray()).toString() });
    }).on('error', reject).end(body);
  });
for (;;) {
  const { id, text } = await ask('GET', 'next');
  await ask('POST', id + '/response', JSON.stringify(await handler(JSON.parse(text))));
}
`;

/** What is asked of the function, one invocation after the other. */
const INVOCATIONS = [
  { count: 8, leaves: 0, frozen: 'seconds' },
  { count: 8, leaves: 3, frozen: 'seconds' },
  { count: 3, leaves: 6, frozen: 'to the next minute' },
  { count: 8, leaves: 0, frozen: 'seconds' },
] as const;

const SECONDS_MS = 3_000;

/** Past the end of a minute, so that its windows are new ones. */
function untilNextMinute(): number {
  return 60_000 - (Date.now() % 60_000) + 1_500;
}

/** A double of the service that runs functions on AWS Lambda: it stops the process whenever that asks for the next invocation. */
class Sandbox {
  readonly #server: Server;
  #process: ChildProcess | undefined;
  #asking = Promise.withResolvers<ServerResponse>();
  #told = Promise.withResolvers<readonly string[]>();

  constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async start(folder: string, env: Readonly<Record<string, string>>): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    const { port } = this.#server.address() as AddressInfo;
    this.#process = spawn(process.execPath, ['bootstrap.mjs'], {
      cwd: folder,
      env: { PATH: process.env.PATH, AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}`, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    this.#process.once('exit', () => this.#told.reject(new Error('The function has ended.')));
    await this.#asking.promise;
  }

  /** Thaws the process, and freezes it when it asks for the next invocation. */
  async invoke(event: object): Promise<readonly string[]> {
    const response = await this.#asking.promise;
    this.#asking = Promise.withResolvers();
    this.#told = Promise.withResolvers();
    this.#process?.kill('SIGCONT');
    response.writeHead(200, { 'lambda-runtime-aws-request-id': 'an-id' }).end(JSON.stringify(event));
    const answers = await this.#told.promise;
    await this.#asking.promise;
    return answers;
  }

  end(): void {
    this.#process?.kill('SIGKILL');
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.endsWith('/next')) {
      this.#process?.kill('SIGSTOP');
      this.#asking.resolve(response);
    } else {
      this.#told.resolve(JSON.parse(Buffer.concat(await request.toArray()).toString()));
      response.writeHead(202).end();
    }
  }
}

/**
 * Runs a function in a process that is frozen between invocations: for seconds, and over the end of a minute. Meanwhile the service
 * closes every connection.
 *
 * @param folder - a project that has this package.
 * @returns the status that each call got, or its error, and how many calls were made.
 */
export async function askLambda(
  folder: string,
  service: MockService,
): Promise<{ answers: readonly string[]; calls: number }> {
  writeFileSync(join(folder, 'handler.mjs'), HANDLER);
  writeFileSync(join(folder, 'bootstrap.mjs'), BOOTSTRAP);
  let server = await service.listen();
  const port = Number(new URL(server.url).port);
  const sandbox = new Sandbox();
  const answers: string[] = [];
  try {
    await sandbox.start(folder, { STACKS_API_URL: server.url });
    for (const { count, leaves, frozen } of INVOCATIONS) {
      answers.push(...(await sandbox.invoke({ count, leaves })));
      await server.close();
      await sleep(frozen === 'seconds' ? SECONDS_MS : untilNextMinute());
      server = await service.listen({ port });
    }
    return { answers, calls: INVOCATIONS.reduce((sum, { count, leaves }) => sum + count + leaves, 0) };
  } finally {
    sandbox.end();
    await server.close();
  }
}
