import type { Entry } from './fair-queue.ts';
import type { Visitor } from './gate.ts';

/** A visitor's turn at the gate. */
export interface Turn {
  /** Whether it came because of the time that the visitor waited. */
  readonly isAged: boolean;
  /** Whether it was called back from aside: those like it wait for what becomes of it. */
  readonly wasAside: boolean;
  /** To be called when the visitor has left the gate. */
  readonly end: () => void;
}

/** A call that waits for its turn. There may be very many, so it holds no more than it must. */
export class Standing {
  readonly visitor: Visitor;
  readonly place: number;
  readonly step: (turn: Turn) => void;
  readonly refuse: (error: unknown) => void;
  wasAside: boolean;
  /** Where it stands, and by which entry. */
  row: { leave(entry: Entry<Standing>): void } | undefined;
  entry: Entry<Standing> | undefined;
  deafen: (() => void) | undefined;

  constructor(visitor: Visitor, place: number, wasAside: boolean, step: Standing['step'], refuse: Standing['refuse']) {
    this.visitor = visitor;
    this.place = place;
    this.wasAside = wasAside;
    this.step = step;
    this.refuse = refuse;
  }
}
