/** Where a helper leaves what must be undone: a test, or a script. */
export interface Cleanup {
  after(undo: () => unknown): void;
}

/** The same for a script: undoes everything at the end, the latest first. */
export class ScriptCleanup implements Cleanup {
  readonly #steps: (() => unknown)[] = [];

  after(undo: () => unknown): void {
    this.#steps.push(undo);
  }

  async run(): Promise<void> {
    for (const undo of this.#steps.splice(0).toReversed()) await undo();
  }
}
