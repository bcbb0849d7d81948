import type { Label } from './oracle/facts.ts';
import type { Stores } from './stores.ts';

interface Row {
  readonly id: number;
  readonly parent: number | null;
  readonly run: string | null;
  readonly complete: number | null;
  readonly held: string | null;
  readonly first: number | null;
}

/**
 * What the ledger calls a batch. When it was planned is shown by its id, which is looked at before each delivery of a sitemap
 * and each send: ids grow, and begin again behind those of a copy that came back.
 */
export class Labels {
  readonly #stores: Stores;
  readonly #getOrder: () => number;
  readonly #plannedAfter = new Map<number, number>();
  #last = 0;

  /** `getOrder`: that of the last delivery. */
  constructor(stores: Stores, getOrder: () => number) {
    this.#stores = stores;
    this.#getOrder = getOrder;
  }

  /** Batches that are there now, and were not before, were planned since the last delivery. */
  note(): void {
    const row = this.#stores.read.ledger.prepare('SELECT coalesce(max(id), 0) AS id FROM batches').get();
    const { id } = row as { readonly id: number };
    for (let each = this.#last + 1; each <= id; each++) this.#plannedAfter.set(each, this.#getOrder());
    this.#last = id;
  }

  /** A copy of the ledger is back. */
  restored(): void {
    const row = this.#stores.read.ledger.prepare('SELECT coalesce(max(id), 0) AS id FROM batches').get();
    this.#last = (row as { readonly id: number }).id;
  }

  isComplete(run: string): boolean {
    return (
      this.#stores.read.ledger.prepare('SELECT 1 FROM runs WHERE name = ? AND complete = 1').get(run) !== undefined
    );
  }

  findOpenRun(watch: string): string | null {
    const row = this.#stores.read.ledger
      .prepare(
        'SELECT r.name FROM runs AS r JOIN watches AS w ON w.id = r.watch_id WHERE w.name = ? AND r.ended_at IS NULL',
      )
      .get(watch) as { readonly name: string } | undefined;
    return row?.name ?? null;
  }

  findCheckWatch(key: string): string | null {
    const row = this.#stores.read.ledger
      .prepare('SELECT w.name FROM checks AS c JOIN watches AS w ON w.id = c.watch_id WHERE c.idempotency_key = ?')
      .get(key) as { readonly name: string } | undefined;
    return row?.name ?? null;
  }

  find(key: string): Label {
    this.note();
    const first = this.#stores.read.ledger
      .prepare(
        `SELECT b.id, b.parent_id AS parent, r.name AS run, r.complete, r.held, r.first_run AS first FROM batches AS b
         LEFT JOIN runs AS r ON r.id = b.run_id WHERE b.idempotency_key = ?`,
      )
      .get(key) as Row | undefined;
    if (first === undefined) return { run: null, isRunComplete: false, isHeld: false, plannedAfter: this.#getOrder() };
    let root = first.id;
    for (let parent = first.parent; parent !== null; ) {
      root = parent;
      const row = this.#stores.read.ledger.prepare('SELECT parent_id AS parent FROM batches WHERE id = ?').get(parent);
      parent = (row as { readonly parent: number | null }).parent;
    }
    return {
      run: first.run,
      isRunComplete: first.complete === 1,
      isHeld: first.held !== null,
      isFirst: first.first === 1,
      plannedAfter: this.#plannedAfter.get(root) ?? this.#getOrder(),
    };
  }
}
