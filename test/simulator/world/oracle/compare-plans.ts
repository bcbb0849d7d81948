import type { World } from '../world.ts';

interface ComparedPlan {
  readonly name: string;
  readonly said: string;
  readonly frozen: string;
}

/** What the ledger says that a run has planned is what it has frozen: its batches, their URLs and their cost. */
export function comparePlans({ stores, oracle }: Pick<World, 'stores' | 'oracle'>): void {
  const report = oracle.toReport('plans');
  const plans = stores.read.ledger
    .prepare(
      `SELECT r.name, r.planned_batches || ' batches, ' || r.planned_urls || ' URLs, ' || coalesce(r.planned_cost, 'unknown') AS said,
         count(b.id) || ' batches, ' || coalesce(sum(b.urls), 0) || ' URLs, '
           || CASE WHEN count(b.id) > count(b.expected_cost) THEN 'unknown' ELSE coalesce(sum(b.expected_cost), 0) END AS frozen
       FROM runs AS r LEFT JOIN batches AS b ON b.run_id = r.id AND b.parent_id IS NULL
       WHERE r.planned_at IS NOT NULL GROUP BY r.id`,
    )
    .all() as unknown as ComparedPlan[];
  for (const { name, said, frozen } of plans)
    if (said !== frozen) report(`run ${name} has planned ${frozen}, and says ${said}`);
}
