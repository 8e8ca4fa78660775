import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import type { Operation } from '../sharing/store/operations.ts';
import { inTime } from '../sharing/trips/in-time.ts';
import { readLines, writeLine } from './lines.ts';
import type { HostReply } from './messages.ts';

/** A connection to the host. */
export class Link {
  readonly generation: number;
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #open = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  #id = 0;

  constructor(socket: Socket, generation: number, clock: Clock, onClose: () => void) {
    this.generation = generation;
    this.#socket = socket;
    this.#clock = clock;
    // Only a request under way keeps the process alive.
    socket.unref();
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      for (const { reject } of this.#open.values()) reject(closed());
      this.#open.clear();
      onClose();
    });
    readLines(socket, (message) => this.#onReply(message as HostReply));
  }

  /** Sends an operation to the host, and resolves with its result. Rejects if the host does not answer within `ms` milliseconds, or ends. */
  async request(share: string, operation: Operation, ms: number): Promise<unknown> {
    if (this.#socket.destroyed) throw closed();
    const id = ++this.#id;
    this.#socket.ref();
    try {
      return await inTime(
        this.#clock,
        ms,
        new Promise((resolve, reject) => {
          this.#open.set(id, { resolve, reject });
          writeLine(this.#socket, { id, share, operation });
        }),
      );
    } finally {
      // Not of a socket that has closed, which would wait for it to connect.
      if (this.#open.delete(id) && this.#open.size === 0) this.#socket.unref();
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  #onReply({ id, result, error }: HostReply): void {
    const asked = this.#open.get(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(error));
  }
}

function closed(): Error {
  return Object.assign(new Error('The host of the share has gone'), { code: 'ECONNRESET' });
}
