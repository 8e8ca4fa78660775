import { describe, expect, it } from 'vitest';
import { cancelledBy } from '../support/cancelled-by.ts';
import { bodyOf, failureOf, never, silent } from './support/transport.ts';

const MIB = 1024 * 1024;
const reason = new Error('enough');

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a body', () => {
  it('is read whole, though its chunks part a character', async () => {
    const euro = bytes('5 €');
    const { stream } = bodyOf([euro.slice(0, 3), euro.slice(3, 4), euro.slice(4)]);
    expect(await silent.read(new Response(stream), never)).toBe('5 €');
  });

  it('that ends within a character says so', async () => {
    expect(await silent.read(new Response(bytes('5 €').slice(0, 4)), never)).toBe('5 \uFFFD');
    const { stream } = bodyOf([bytes('5 '), bytes('€').slice(0, 2)]);
    expect(await silent.read(new Response(stream), never)).toBe('5 \uFFFD');
  });

  it('that is not there is empty', async () => {
    expect(await silent.read(new Response(null, { status: 204 }), never)).toBe('');
  });

  it('loses its byte order mark', async () => {
    expect(await silent.read(new Response('\uFEFF{}'), never)).toBe('{}');
  });

  function* mebibytes(count: number): Generator<Uint8Array> {
    const one = new Uint8Array(MIB).fill(0x20);
    for (let sent = 0; sent < count; sent++) yield one;
  }

  it('is read up to 32 MiB', async () => {
    const { stream } = bodyOf(mebibytes(32));
    expect(await silent.read(new Response(stream), never)).toHaveLength(32 * MIB);
  });

  it.each([undefined, '2'])(
    'is given up where it passes 32 MiB, whatever its stated length is (%s)',
    async (length) => {
      const { stream, seen } = bodyOf(mebibytes(1_000));
      const response = new Response(stream, length ? { headers: { 'content-length': length } } : {});
      expect(await failureOf(silent.read(response, never))).toMatchObject({ code: 'TOO_LARGE', isUnsent: false });
      expect(seen.chunks).toBe(33);
      expect(seen.cancelled).toHaveLength(1);
    },
  );

  it('that breaks off is a failure that may have been counted', async () => {
    const cut = new TypeError('terminated', {
      cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
    });
    const { stream } = bodyOf([bytes('{"half":')], cut);
    const failure = await failureOf(silent.read(new Response(stream), never));
    expect(failure).toMatchObject({ code: 'UND_ERR_SOCKET', isUnsent: false, cause: { message: 'terminated' } });
  });

  it.each<[string, (response: Response) => unknown]>([
    ['begun to read', (response) => response.body?.getReader()],
    ['read', (response) => response.text()],
    ['read and let go of', (response) => response.body?.pipeTo(new WritableStream())],
  ])('that other code has %s is a failure that says so', async (_, use) => {
    const response = new Response('words');
    await use(response);
    const cause = { message: expect.stringContaining('must return the body unread') };
    expect(await failureOf(silent.read(response, never))).toMatchObject({ code: 'INVALID_RESPONSE', cause });
    expect(await failureOf(silent.readBytes(response, never))).toMatchObject({ code: 'INVALID_RESPONSE', cause });
  });

  it('is cancelled when the signal aborts, and the reading rejects with its reason', async () => {
    const { stream, seen } = bodyOf([bytes('{"half":')], 'hang');
    const controller = new AbortController();
    const text = silent.read(new Response(stream), cancelledBy(controller.signal));
    setImmediate(() => controller.abort(reason));
    await expect(text).rejects.toBe(reason);
    expect(seen).toEqual({ chunks: 1, cancelled: [reason] });
  });

  it('is cancelled unread when the signal has aborted before', async () => {
    const { stream, seen } = bodyOf([bytes('{}')]);
    await expect(silent.read(new Response(stream), cancelledBy(AbortSignal.abort(reason)))).rejects.toBe(reason);
    expect(seen).toEqual({ chunks: 0, cancelled: [reason] });
  });
});

describe('a body as bytes', () => {
  it('that comes as text, like a stream of Node with an encoding, is a failure that says so', async () => {
    const { stream } = bodyOf(['{}'] as unknown as Uint8Array[]);
    const cause = { message: 'A body must be a stream of bytes.' };
    expect(await failureOf(silent.readBytes(new Response(stream), never))).toMatchObject({ code: 'NETWORK', cause });
  });

  it('is whole, and as it was sent', async () => {
    const { stream } = bodyOf([Uint8Array.of(0xef, 0xbb, 0xbf), Uint8Array.of(0, 255), Uint8Array.of()]);
    expect([...(await silent.readBytes(new Response(stream), never))]).toEqual([0xef, 0xbb, 0xbf, 0, 255]);
  });

  it('that is not there is empty', async () => {
    expect(await silent.readBytes(new Response(null), never)).toHaveLength(0);
  });

  it('is given up where it passes 32 MiB', async () => {
    const { stream, seen } = bodyOf(Array(100).fill(new Uint8Array(MIB)));
    expect(await failureOf(silent.readBytes(new Response(stream), never))).toMatchObject({ code: 'TOO_LARGE' });
    expect(seen).toMatchObject({ chunks: 33, cancelled: { length: 1 } });
  });

  it('that breaks off is a failure, and one whose signal aborts rejects with its reason', async () => {
    expect(await failureOf(silent.readBytes(new Response(bodyOf([], new Error('cut')).stream), never))).toMatchObject({
      code: 'NETWORK',
    });
    const aborted = silent.readBytes(new Response(bodyOf([]).stream), cancelledBy(AbortSignal.abort(reason)));
    await expect(aborted).rejects.toBe(reason);
  });
});
