/** Something the store is to be told. It remains due if telling it fails, or if it is raised again meanwhile. */
export class Notice {
  #raised = 0;
  #told = 0;

  get isDue(): boolean {
    return this.#raised > this.#told;
  }

  raise(): void {
    this.#raised++;
  }

  /** Tells it, if it is due. */
  async tell(work: () => Promise<void>): Promise<void> {
    if (!this.isDue) return;
    const raised = this.#raised;
    await work();
    this.#told = raised;
  }
}
