import type { Socket } from 'node:net';

/** The longest message that is accepted, in characters. */
const LONGEST = 1_000_000;

/** Calls `onMessage` with each message of a socket: one line of JSON. Closes the socket on a message that is none, or is too long. */
export function readLines(socket: Socket, onMessage: (message: unknown, line: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    try {
      for (const line of lines) onMessage(JSON.parse(line), line);
    } catch {
      socket.destroy();
    }
    if (rest.length > LONGEST) socket.destroy();
  });
}

/** Sends one message. A socket that has closed meanwhile drops it: its `close` rejects the requests that wait for an answer. */
export function writeLine(socket: Socket, message: unknown): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}
