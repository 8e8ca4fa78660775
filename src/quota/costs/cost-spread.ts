/** How much the weight of an answer fades with each further one: after 100 of them to a third. */
const FADING = 0.99;

/** Costs that make up less than this part of the recent answers are not held for: a refusal for one is cheaper. */
const RARE = 0.03;

/** Costs that are told apart; of more, the rarest counts as the next higher one. */
const MOST = 8;

interface Weighed {
  readonly cost: number;
  weight: number;
}

/** The costs of equal requests: one, where their parameters decide it, or several with a weight each. */
export class CostSpread {
  /** By cost, the lowest first. */
  readonly #costs: Weighed[] = [];
  #answers = 0;
  #likely = 0;
  #certain = 0;

  /** The mean of the recent answers, in units. */
  get likely(): number {
    return this.#likely;
  }

  /** A cost that the true mean is unlikely to be below: the mean of the answers, less a part that is larger the fewer they are. Two that differ tell nothing. */
  get surely(): number {
    if (this.least === this.most || this.#answers <= 2) return this.least;
    return Math.max(this.least, this.#likely * (1 - this.#answers ** -0.5));
  }

  /** Units that all but a few of the recent answers did not exceed. */
  get certain(): number {
    return this.#certain;
  }

  /** The lowest cost that is remembered. */
  get least(): number {
    return this.#costs[0]?.cost ?? 0;
  }

  /** The highest cost that is remembered. */
  get most(): number {
    return this.#costs.at(-1)?.cost ?? 0;
  }

  /** Learns what a request cost. */
  learn(cost: number): void {
    let place = 0;
    for (const known of this.#costs) {
      known.weight *= FADING;
      if (known.cost < cost) place++;
    }
    const known = this.#costs[place];
    if (known?.cost === cost) known.weight++;
    else this.#costs.splice(place, 0, { cost, weight: 1 });
    if (this.#costs.length > MOST) this.#mergeRarest();
    this.#weigh();
  }

  #mergeRarest(): void {
    const lower = this.#costs.slice(0, -1);
    const rarest = lower.reduce((least, one) => (one.weight < least.weight ? one : least));
    const place = this.#costs.indexOf(rarest);
    const next = this.#costs[place + 1];
    if (next) next.weight += rarest.weight;
    this.#costs.splice(place, 1);
  }

  #weigh(): void {
    let total = 0;
    let units = 0;
    for (const { cost, weight } of this.#costs) {
      total += weight;
      units += cost * weight;
    }
    this.#answers = total;
    this.#likely = units / total;
    let above = total;
    for (const { cost, weight } of this.#costs) {
      above -= weight;
      this.#certain = cost;
      if (above < RARE * total) return;
    }
  }
}
