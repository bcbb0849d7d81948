import { compile } from '../../../../src/database/sql.ts';
import { selectWrongTotals } from '../../../../src/ledger/journal/totals.ts';
import type { World } from '../world.ts';

/** The sums that the ledger keeps are those of its journal, and nothing that has ended holds money. */
export function compareJournal({ stores, oracle }: Pick<World, 'stores' | 'oracle'>): void {
  const report = oracle.toReport('journal');
  const { text, values } = compile(selectWrongTotals, 'sqlite');
  for (const row of stores.read.ledger.prepare(text).all(...values))
    report(`a total is more than its entries: ${JSON.stringify(row)}`);
  for (const { kind, id } of stores.read.ledger.prepare(HELD_AFTER_END).all())
    report(`${kind} ${id} has ended, and holds money`);
}

const HELD_AFTER_END = `
  SELECT j.kind, j.of_id AS id
  FROM journal AS j LEFT JOIN batches AS b ON j.kind = 'batch' AND b.id = j.of_id
    LEFT JOIN checks AS k ON j.kind = 'check' AND k.id = j.of_id
  WHERE coalesce(b.state, k.state) NOT IN ('planned', 'sending')
    AND NOT (coalesce(b.state, '') = 'needs_review' AND b.in_doubt_since IS NOT NULL)
  GROUP BY j.kind, j.of_id
  HAVING sum(CASE WHEN to_bucket IN ('planned', 'sent') THEN amount ELSE 0 END)
    <> sum(CASE WHEN from_bucket IN ('planned', 'sent') THEN amount ELSE 0 END)`;
