import { Alarm } from '../../alarm.ts';
import type { Clock } from '../../clock.ts';
import type { Ask } from '../../quota/admission.ts';
import { type Rank, rankOf } from '../../share.ts';
import { type Dequeued, FairQueue, type QueueEntry } from './fair-queue.ts';
import type { ParkedResult } from './gate.ts';

/** Puts a released call back into the queue. */
type Release<T> = (dequeued: Dequeued<T>, group: string) => void;

/** What a parked group reports. */
interface GroupListeners<T> {
  readonly release: (dequeued: Dequeued<T>) => void;
  /** The first call of the group is due. */
  readonly due: () => void;
  readonly empty: () => void;
}

/**
 * Parked calls that the pacer treats alike: of one endpoint, number of units and `maxWaitMs`, and all or none of one shot. At a given time the first is
 * released into the queue: if it may not be sent, none may; once it was, the next is released.
 */
class ParkedGroup<T> {
  readonly name: string;
  readonly endpoint: string;
  readonly #clock: Clock;
  readonly #listeners: GroupListeners<T>;
  readonly #waiting = new FairQueue<T>();
  readonly #alarm: Alarm;
  /** Whether the alarm has rung for the first call. */
  #isDue = false;
  #isFirm: boolean | undefined;
  #isApart: boolean | undefined;
  /** How many there are, of each rank or a higher one. */
  readonly #ranks: [number, number, number] = [0, 0, 0];

  constructor(name: string, endpoint: string, clock: Clock, listeners: GroupListeners<T>) {
    this.name = name;
    this.endpoint = endpoint;
    this.#clock = clock;
    this.#listeners = listeners;
    this.#alarm = new Alarm(clock, () => {
      this.#isDue = true;
      listeners.due();
    });
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Whether an answer of the endpoint may shorten the wait. */
  get mayEndOnAnswer(): boolean {
    return !this.#isFirm;
  }

  /** How many calls of this rank or a higher one need no units while their endpoint pauses. */
  apart(rank: Rank): number {
    return this.#isApart ? this.#ranks[rank] : 0;
  }

  park(item: T, priority: number, ticket: number, { until, isFirm, isApart }: ParkedResult): QueueEntry<T> {
    this.#isFirm = isFirm;
    this.#isApart = isApart;
    this.#isDue = false;
    this.#alarm.set(until);
    this.#count(priority, 1);
    return this.#waiting.enqueue(item, priority, ticket);
  }

  remove(entry: QueueEntry<T>): void {
    this.#count(entry.priority, -1);
    this.#waiting.remove(entry);
    if (this.size === 0) this.#end();
  }

  /** Releases the first call. */
  release(): void {
    const dequeued = this.#waiting.dequeue();
    if (dequeued) this.#count(dequeued.priority, -1);
    if (this.size === 0) this.#end();
    if (dequeued) this.#listeners.release(dequeued);
  }

  /** Releases the first call if the time has come. */
  releaseIfDue(): void {
    if (!this.#isDue && this.#alarm.at > this.#clock.now()) return;
    this.#isDue = false;
    this.#alarm.set(Infinity);
    this.release();
  }

  #count(priority: number, calls: 1 | -1): void {
    for (let rank = 0; rank <= rankOf(priority); rank++) this.#ranks[rank as Rank] += calls;
  }

  #end(): void {
    this.#alarm.set(Infinity);
    this.#listeners.empty();
  }
}

/** All parked calls of a queue, by group. */
export class ParkedCalls<T> {
  readonly #clock: Clock;
  readonly #release: Release<T>;
  readonly #groups = new Map<string, ParkedGroup<T>>();

  /** @param release - puts a released call back into the queue. */
  constructor(clock: Clock, release: Release<T>) {
    this.#clock = clock;
    this.#release = release;
  }

  /** Calls that are parked. */
  get size(): number {
    let size = 0;
    for (const group of this.#groups.values()) size += group.size;
    return size;
  }

  /** Calls of this rank or a higher one whose endpoint alone pauses: they need no units meanwhile. */
  apart(rank: Rank): number {
    let apart = 0;
    for (const group of this.#groups.values()) apart += group.apart(rank);
    return apart;
  }

  /** The group in which calls like this one are parked. */
  groupOf({ endpoint, cost, maxWaitMs, isOneShot }: Ask, { units }: ParkedResult): ParkedGroup<T> {
    const name = `${endpoint} ${cost} ${maxWaitMs} ${units} ${isOneShot}`;
    let group = this.#groups.get(name);
    if (!group) {
      group = new ParkedGroup(name, endpoint, this.#clock, {
        release: (dequeued) => this.#release(dequeued, name),
        due: () => this.releaseDue(),
        empty: () => this.#groups.delete(name),
      });
      this.#groups.set(name, group);
    }
    return group;
  }

  /** A released call was sent or has ended: releases the next of its group. */
  releaseNext(group: string): void {
    this.#groups.get(group)?.release();
  }

  /** A request of the endpoint has ended: releases one call of each group that awaited an answer. */
  onAnswer(endpoint: string): void {
    for (const group of this.#groups.values()) {
      if (group.mayEndOnAnswer && group.endpoint === endpoint) group.release();
    }
  }

  /** Releases one call of each group whose time has come: all at once, so that they are queued by priority, and not in the order of their timers. */
  releaseDue(): void {
    for (const group of this.#groups.values()) group.releaseIfDue();
  }

  /** Something changed outside: releases one call of each group. */
  wake(): void {
    for (const group of this.#groups.values()) group.release();
  }

  /** Releases all calls. */
  clear(): void {
    for (const group of this.#groups.values()) while (group.size > 0) group.release();
  }
}
