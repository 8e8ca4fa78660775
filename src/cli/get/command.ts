import { createClient } from '../../index.ts';
import { accessOf } from '../access.ts';
import type { Command } from '../command.ts';
import { delaysTold } from '../delays.ts';
import type { Environment } from '../environment.ts';
import { EXIT } from '../exit.ts';
import { writeErrors } from '../notices.ts';
import { GET_FLAGS, type GetFlags, readGetFlags } from './flags.ts';
import { failureOf, headText, indented, jsonLine } from './response-text.ts';

/** `stacks-quota get`. */
export const getCommand: Command = {
  page: {
    usage: ['get PATH [flags]'],
    about: `Gets any path of the service, paced and with the key, and writes the body to standard output as it comes; on a
terminal JSON is indented. Requests that fail or are refused because of a limit are repeated.

A status of 400 or more is an error: the body is written all the same.`,
    flags: GET_FLAGS,
    examples: [
      'stacks-quota get /extended/v1/info',
      'stacks-quota get /extended/v2/blocks --query limit=5 | jq .total',
      'stacks-quota get /v2/info --include',
    ],
    exits: [
      ['0', 'a response with a status below 400'],
      ['1', 'another status, or no response'],
      ['2', 'invalid flags or path; nothing was sent'],
      ['4', 'the quota is exhausted for longer than --max-wait'],
      ['130', 'Ctrl-C'],
    ],
  },
  async run(args, world, stop) {
    const flags = readGetFlags(args);
    const client = createClient({
      ...(await accessOf(flags.access, world)),
      timeoutMs: flags.timeoutMs,
      maxWaitMs: flags.maxWaitMs,
      onEvent: delaysTold(world),
    });
    try {
      const response = await client.fetch(flags.path, {
        headers: flags.headers.map(([...pair]) => pair),
        signal: stop,
      });
      return await show(response, flags, world);
    } finally {
      await client.close();
    }
  },
};

async function show(response: Response, flags: GetFlags, world: Environment): Promise<number> {
  const { stdout } = world;
  const { path, isJson, includesHeaders } = flags;
  const { status } = response;
  if (isJson) await stdout.write(jsonLine(response, await response.text(), includesHeaders));
  else {
    if (includesHeaders) await stdout.write(headText(response));
    if (stdout.isTTY) await stdout.write(indented(await response.text()));
    // As it comes, however large it is.
    else for await (const piece of response.body ?? []) await stdout.write(piece);
  }
  if (status < 400) return EXIT.ok;
  await writeErrors([failureOf(path, status)], world);
  return status === 429 ? EXIT.exhausted : EXIT.failure;
}
