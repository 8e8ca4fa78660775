import { bookTotals } from './booking.ts';
import { Expiring } from './expiring.ts';
import { grantUnits } from './granting.ts';
import { type CurrentState, pauseLeft, type State, stateAt } from './memory-state.ts';
import { joinInstances, MemoryWindow, slideOut, type WindowRecord } from './memory-windows.ts';
import { claimedSince, type RecentClaims, recentAt, withClaims } from './recent-claims.ts';
import {
  ACCOUNT_LASTS_MS,
  type Answer,
  type Facts,
  LIVE_MS,
  LOOK_MS,
  LOOKS,
  LOOKS_APART_MS,
  PROBE_MS,
  type ShareAsk,
  type ShareStore,
} from './store.ts';
import {
  FACTS,
  isBinding,
  LIVE_LAST_MS,
  LONGEST_TTL_MS,
  LOOKS_LAST_MS,
  mergeFact,
  NEEDY_LAST_MS,
  NEEDY_MS,
  NEEDY_NOW,
  PARTS,
  readAsk,
  readFacts,
  readPause,
  STATE_LASTS_MS,
  whole,
} from './store-rules.ts';
import type { StoredState } from './stored-state.ts';

/** A store in the memory of one process. */
export interface MemoryStore extends ShareStore {
  /** Removes everything. */
  flush(): void;
  /** Everything that is stored, for {@link memoryStore} to begin with. */
  readonly state: StoredState;
  /** Number of stored entries, including some that have expired. */
  readonly size: number;
}

/**
 * Creates a store in memory. Operations take effect synchronously.
 *
 * @param now - its clock, in milliseconds since the Unix epoch.
 * @param state - what it begins with. Default: nothing.
 */
export function memoryStore(now: () => number, state?: StoredState): MemoryStore {
  return new Books(() => Math.floor(now()), state);
}

/** The claims of a process on the slots of its last ask. */
interface Account {
  readonly sequence: number;
  readonly totals: ReadonlyMap<string, number>;
  /** Until when the process is needy; 0: it is not. */
  readonly needyUntil: number;
}

/** A look or a probe of a process; in `looks`, `usedMs` is the time that the looks before the last one have taken. */
interface Turn {
  readonly member: string;
  readonly until: number;
  readonly usedMs: number;
}

class Books implements MemoryStore {
  readonly #now: () => number;
  readonly #accounts = new Expiring<Account>();
  readonly #windows = new Expiring<WindowRecord>();
  // Each of these maps has a fixed set of names.
  readonly #state = new Expiring<State>();
  readonly #recent = new Expiring<RecentClaims>();
  readonly #facts = new Expiring<Map<string, string>>();
  readonly #turns = new Expiring<Turn>();
  /** `needy`: until when, by process; `live`: when each process gave its last sign of life. */
  readonly #members = new Expiring<Map<string, number>>();

  constructor(now: () => number, state: StoredState = {}) {
    this.#now = now;
    for (const [part, entries] of Object.entries(this.#all)) entries.restore(state[part] ?? []);
  }

  get size(): number {
    const now = this.#now();
    const inside = [this.#members.get('needy', now), this.#members.get('live', now), this.#facts.get('facts', now)];
    const entries = [...Object.values(this.#all).map(({ size }) => size), ...inside.map((map) => map?.size ?? 0)];
    return entries.reduce((sum, size) => sum + size, 0);
  }

  flush(): void {
    for (const entries of Object.values(this.#all)) entries.clear();
  }

  get state(): StoredState {
    return Object.fromEntries(Object.entries(this.#all).map(([part, { entries }]) => [part, entries]));
  }

  async take(asked: ShareAsk): Promise<Answer | 'stale'> {
    const ask = readAsk(asked);
    const now = this.#now();
    const { member, sequence } = ask;
    const account = this.#accounts.get(member, now);
    if (account && account.sequence >= sequence) return 'stale';

    const windows: MemoryWindow[] = [];
    for (const window of ask.windows)
      windows.push(new MemoryWindow(window, this.#windows.get(window.name, now), windows.at(-1)));
    joinInstances(windows);
    const told = bookTotals(ask, account?.totals ?? new Map(), windows);
    slideOut(windows);
    const recent = withClaims(recentAt(this.#recent.get('recent', now), now), told);
    const missing = claimedSince(recent, ask.recentSince);
    for (const window of windows) if (!window.isLater) window.hear(missing);

    const state = this.#stateAt(now);
    const pauseMs = pauseLeft(state, now);
    const look = this.#turn('look', LOOK_MS, now);
    const lookMs = look && look.member !== member ? look.until - now : 0;
    const isInformed = ask.version >= state.least && ask.version <= state.version;
    const mayGrant = isInformed && pauseMs === 0 && lookMs === 0 && !ask.isLeaving;
    const mine = account?.needyUntil ?? 0;
    const others = this.#others(mine, now);
    const { granted, isNeedy, stayMs, freeMs } = grantUnits(ask, mayGrant, others, windows);

    const urgent = state.urgent + ask.urgent * PARTS;
    const usual = state.usual + ask.usual * PARTS;
    if (ask.urgent + ask.usual > 0 || state.isDue) this.#write({ ...state, urgent, usual }, now, state.isDue);
    for (const { ask: window, record, isChanged } of windows)
      if (isChanged) this.#windows.set(window.name, record, window.ttlMs, now);
    const claimed = granted.reduce((sum, units) => sum + units, 0);
    if (told + claimed > 0) this.#recent.set('recent', withClaims(recent, claimed), LONGEST_TTL_MS, now);
    if (state.isDue) this.#keepNeedy(now);
    const needyUntil = isNeedy && !ask.isLeaving ? now + Math.min(stayMs, NEEDY_MS) : 0;
    if (needyUntil > 0) this.#enter(member, needyUntil, now);
    else if (mine > 0) this.#members.get('needy', now)?.delete(member);
    if (ask.isLeaving) this.#accounts.delete(member);
    else {
      const totals = new Map(ask.slots.map(({ name, total }, index) => [name, total + (granted[index] ?? 0)]));
      this.#accounts.set(member, { sequence, totals, needyUntil }, ACCOUNT_LASTS_MS, now);
    }
    return {
      ...{ sequence, now, version: state.version, pauseMs, lookMs, others },
      facts: state.version === ask.version ? undefined : this.#factsAt(now),
      live: this.#sign(ask, now),
      urgent: { units: urgent / PARTS, forMs: now - state.since },
      usual: usual / PARTS,
      ...{ granted, freeMs, used: windows.map(({ used }) => used) },
    };
  }

  async share(
    version: number,
    tell: Facts,
  ): Promise<{ readonly version: number; readonly now: number; readonly facts: Facts | undefined }> {
    const now = this.#now();
    const state = this.#stateAt(now);
    const facts = this.#factsAt(now);
    // If the state was lost but the facts were not, a new version makes every process read them.
    let isNews = state.version === 0 && facts.size > 0;
    let isStrict = isNews;
    for (const [field, told] of readFacts(tell)) {
      const known = facts.get(field);
      const merged = mergeFact(field, known, told);
      if (merged === known || (known === undefined && facts.size >= FACTS)) continue;
      facts.set(field, merged);
      isNews = true;
      isStrict ||= isBinding(field, known, merged);
    }
    if (isNews) this.#facts.set('facts', facts, LONGEST_TTL_MS, now);
    const raised = state.version + (isNews ? 1 : 0);
    const next = { ...state, version: raised, least: isStrict ? raised : state.least };
    if (isNews || state.isDue) this.#write(next, now);
    return { version: next.version, now, facts: next.version === whole(version, -1) ? undefined : facts };
  }

  async look(member: string, version?: number): Promise<'granted' | 'over' | 'stale' | number> {
    const now = this.#now();
    const look = this.#turn('look', LOOK_MS, now);
    if (look && look.member !== member) return look.until - now;
    if (look && look.until - now > LOOK_MS / 2) return 'granted';
    if (!look && version !== undefined && version !== this.#stateAt(now).version) return 'stale';
    const looks = this.#turn('looks', LOOKS_LAST_MS, now);
    const sinceMs = looks ? now - looks.until + LOOKS_LAST_MS : 0;
    const lastMs = sinceMs < LOOKS_APART_MS ? Math.max(sinceMs, LOOK_MS) : LOOK_MS;
    const usedMs = looks ? looks.usedMs + lastMs : 0;
    if (usedMs > (LOOKS - 1) * LOOK_MS) return 'over';
    this.#begin('looks', member, LOOKS_LAST_MS, now, usedMs);
    this.#begin('look', member, LOOK_MS, now);
    return 'granted';
  }

  async endLook(member: string): Promise<void> {
    if (this.#turn('look', LOOK_MS, this.#now())?.member === member) this.#turns.delete('look');
  }

  async pause(ms: number): Promise<void> {
    const now = this.#now();
    const state = this.#stateAt(now);
    const pauseUntil = now + readPause(ms);
    if (pauseUntil <= Math.max(now, state.pauseUntil)) return;
    this.#write({ ...state, pauseUntil }, now);
    this.#turns.delete('probe');
  }

  async resume(member: string): Promise<'free' | 'probe' | number> {
    const now = this.#now();
    const { pauseUntil } = this.#stateAt(now);
    if (pauseUntil === 0) return 'free';
    if (pauseUntil > now) return pauseUntil - now;
    const probe = this.#turn('probe', PROBE_MS, now);
    if (probe && probe.member !== member) return probe.until - now;
    if (!probe) this.#begin('probe', member, PROBE_MS, now);
    return 'probe';
  }

  async resumed(): Promise<void> {
    const now = this.#now();
    const state = this.#stateAt(now);
    if (state.pauseUntil === 0 || state.pauseUntil > now) return;
    this.#write({ ...state, pauseUntil: 0 }, now);
  }

  /** A sign of life, or the last one. @returns how many processes are live. */
  #sign({ member, isSign, isLeaving }: ShareAsk, now: number): number {
    if (!isSign && !isLeaving) return 0;
    const live = this.#members.get('live', now) ?? new Map<string, number>();
    for (const [name, at] of live) if (at < now - LIVE_MS || at > now) live.delete(name);
    if (isLeaving) live.delete(member);
    else live.set(member, now);
    if (live.size > 0) this.#members.set('live', live, LIVE_LAST_MS, now);
    else this.#members.delete('live');
    return isSign ? live.size : 0;
  }

  /** A copy of the facts. */
  #factsAt(now: number): Map<string, string> {
    return new Map(this.#facts.get('facts', now));
  }

  get #all(): Readonly<Record<string, Expiring<unknown>>> {
    return {
      ...{ accounts: this.#accounts, windows: this.#windows, state: this.#state, recent: this.#recent },
      ...{ facts: this.#facts, turns: this.#turns, members: this.#members },
    };
  }

  #stateAt(now: number): CurrentState {
    return stateAt(this.#state.get('state', now), now);
  }

  /** Facts must not expire before their version. */
  #write({ isDue: _, ...state }: CurrentState, now: number, keepsFacts = true): void {
    this.#state.set('state', state, STATE_LASTS_MS, now);
    const facts = keepsFacts ? this.#facts.get('facts', now) : undefined;
    if (facts) this.#facts.set('facts', facts, LONGEST_TTL_MS, now);
  }

  #begin(what: 'look' | 'looks' | 'probe', member: string, lastsMs: number, now: number, usedMs = 0): void {
    this.#turns.set(what, { member, until: now + lastsMs, usedMs }, lastsMs, now);
  }

  /** The present turn, if any. One with more time left than it can have is ignored: the clock was set back. */
  #turn(what: 'look' | 'looks' | 'probe', lastsMs: number, now: number): Turn | undefined {
    const turn = this.#turns.get(what, now);
    return turn && turn.until <= now + lastsMs ? turn : undefined;
  }

  /** How many other processes are needy. `mine`: until when this one is. */
  #others(mine: number, now: number): number {
    const isNow = (until: number): boolean => until >= now && until <= now + NEEDY_MS;
    const count = [...(this.#members.get('needy', now)?.values() ?? [])].filter(isNow).length;
    if (count <= NEEDY_NOW) return Math.max(0, count - (isNow(mine) ? 1 : 0));
    this.#members.delete('needy');
    return 0;
  }

  #enter(member: string, until: number, now: number): void {
    const needy = this.#members.get('needy', now) ?? new Map<string, number>();
    const isNew = !needy.has(member);
    needy.set(member, until);
    if (!isNew) return;
    for (const [name, end] of needy) if (end < now || end > now + NEEDY_MS) needy.delete(name);
    this.#members.set('needy', needy, NEEDY_LAST_MS, now);
  }

  /** The set of needy processes must not expire while asks come. */
  #keepNeedy(now: number): void {
    const needy = this.#members.get('needy', now);
    if (needy) this.#members.set('needy', needy, NEEDY_LAST_MS, now);
  }
}
