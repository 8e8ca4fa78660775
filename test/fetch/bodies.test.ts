import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { virtualClock } from '../../src/testing/index.ts';

const KEY = 'k3y-of-32-characters-0123456789ab';

/** A client whose service answers with these, in turn; `bodies` are those that it got. */
function served(answers: (() => Response)[], options: { shareInFlight?: boolean } = {}) {
  const clock = virtualClock();
  const bodies: string[] = [];
  const client = createClient({
    baseUrl: 'https://api.mock.test',
    apiKey: KEY,
    clock,
    ...options,
    fetch: async (input) => {
      bodies.push(await (input as Request).text());
      return answers.shift()?.() ?? new Response('{}');
    },
  });
  return { clock, client, bodies };
}

const refusal = () => new Response('no', { status: 429, headers: { 'retry-after': '1' } });
const streamed = (pulls: string[], ...pieces: string[]) =>
  ({
    method: 'POST',
    duplex: 'half',
    body: new ReadableStream(
      {
        pull(controller) {
          const piece = pieces.shift();
          if (piece === undefined) return controller.close();
          pulls.push(piece);
          controller.enqueue(new TextEncoder().encode(piece));
        },
      },
      { highWaterMark: 0 },
    ),
  }) as RequestInit;

describe('a body that is streamed', () => {
  it('arrives, and is not read before the call is sent', async () => {
    const { clock, client, bodies } = served([]);
    const pulls: string[] = [];
    const call = client.fetchWith({ streamBody: true })('/a', streamed(pulls, 'one ', 'two'));
    expect(pulls).toEqual([]);
    expect((await clock.run(call)).status).toBe(200);
    expect([bodies, pulls]).toEqual([['one two'], ['one ', 'two']]);
  });

  it('is sent once: the caller gets the refusal itself', async () => {
    const { clock, client, bodies } = served([refusal]);
    const response = await clock.run(client.fetchWith({ streamBody: true })('/a', streamed([], 'one')));
    expect([response.status, await response.text(), bodies]).toEqual([429, 'no', ['one']]);
  });

  it('is sent again after a refusal where it was read into memory', async () => {
    const { clock, client, bodies } = served([refusal]);
    const response = await clock.run(client.fetch('/a', streamed([], 'one')));
    expect([response.status, bodies]).toEqual([200, ['one', 'one']]);
  });

  it('changes nothing for a request without a body', async () => {
    const { clock, client, bodies } = served([refusal]);
    const response = await clock.run(client.fetchWith({ streamBody: true })('/a'));
    expect([response.status, bodies]).toEqual([200, ['', '']]);
  });
});

describe('a body in which the service repeats the key', () => {
  const echo = () => new Response(`{"key":"${KEY}"}`);
  const masked = `{"key":"${'*'.repeat(KEY.length)}"}`;

  it('comes as it is, unless it is to be masked', async () => {
    const { clock, client } = served([echo, echo]);
    expect(await (await clock.run(client.fetch('/a'))).text()).toBe(`{"key":"${KEY}"}`);
    expect(await (await clock.run(client.fetchWith({ maskKey: true })('/a'))).text()).toBe(masked);
  });

  it('is masked for the callers who ask for it, where several share a request', async () => {
    const { clock, client, bodies } = served([echo, echo], { shareInFlight: true });
    const mask = client.fetchWith({ maskKey: true });
    const answers = await clock.run(Promise.all([mask('/a'), client.fetch('/a'), mask('/a')]));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect([texts, bodies.length]).toEqual([[masked, `{"key":"${KEY}"}`, masked], 2]);
  });
});
