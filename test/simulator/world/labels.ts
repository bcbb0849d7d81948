import type { Label } from './oracle/facts.ts';
import type { Ready } from './oracle/fair-rule.ts';
import type { Stores } from './stores.ts';

/** A batch that was planned so long ago is looked up before it is sent for the first time. */
const OLD_MS = 19 * 3_600_000;
/** By then whoever gives turns has seen that a batch may be sent. */
const READY_MS = 10_000;

interface Row {
  readonly id: number;
  readonly parent: number | null;
  readonly run: string | null;
  readonly complete: number | null;
  readonly held: string | null;
  readonly first: number | null;
}

/** A run that only money holds goes on by itself: caps and floor have rules of their own. */
const isHeldByGuard = (held: string | null): boolean =>
  held !== null &&
  (JSON.parse(held) as { reasons: readonly { code: string }[] }).reasons.some(({ code }) => code.startsWith('max_'));

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

  /** A copy of the ledger is back. It may have been made between a plan and what would have noted it. */
  restored(): void {
    const row = this.#stores.read.ledger.prepare('SELECT coalesce(max(id), 0) AS id FROM batches').get();
    this.#last = (row as { readonly id: number }).id;
    for (let each = 1; each <= this.#last; each++)
      if (!this.#plannedAfter.has(each)) this.#plannedAfter.set(each, this.#getOrder());
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

  findTurn(tag: string): { readonly watch: string; readonly service: string } | null {
    const row = this.#stores.read.ledger
      .prepare(
        'SELECT w.name AS watch, b.service FROM batches AS b JOIN watches AS w ON w.id = b.watch_id WHERE b.tag = ?',
      )
      .get(tag);
    return (row ?? null) as { readonly watch: string; readonly service: string } | null;
  }

  findCheckWatch(key: string): string | null {
    const row = this.#stores.read.ledger
      .prepare('SELECT w.name FROM checks AS c JOIN watches AS w ON w.id = c.watch_id WHERE c.idempotency_key = ?')
      .get(key) as { readonly name: string } | undefined;
    return row?.name ?? null;
  }

  /**
   * The batches of the account and level of this one that were never sent, and that nothing has held for so long. Those that are old
   * are looked up before, which needs the list.
   */
  listReady(key: string, now: number): readonly Ready[] {
    return this.#stores.read.ledger
      .prepare(
        `SELECT w.name AS watch, b.urls FROM batches AS mine
         JOIN batches AS b ON b.account_id = mine.account_id AND b.service = mine.service AND b.id <> mine.id
         JOIN watches AS w ON w.id = b.watch_id
         WHERE mine.idempotency_key = ? AND b.state = 'planned' AND b.attempts = 0 AND b.needs_lookup = 0
           AND b.planned_at BETWEEN ? AND ? AND coalesce(b.not_before, 0) <= ?`,
      )
      .all(key, now - OLD_MS, now - READY_MS, now - READY_MS) as unknown as Ready[];
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
      isHeld: isHeldByGuard(first.held),
      isFirst: first.first === 1,
      plannedAfter: this.#plannedAfter.get(root) ?? this.#getOrder(),
    };
  }
}
