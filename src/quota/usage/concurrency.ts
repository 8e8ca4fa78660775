/** How many requests may be under way at once, with whichever key, and how many are. */
export class Concurrency {
  limit: number;
  open = 0;
  /** When the latest of them was sent. */
  sentAt = 0;

  constructor(limit: number) {
    this.limit = limit;
  }
}
