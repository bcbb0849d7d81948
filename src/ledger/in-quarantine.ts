import { dialectal, sql } from '../database/sql.ts';

/**
 * URLs in quarantine, in the words of the index urls_quarantined, on Postgres urls_in_quarantine. There a trigger keeps
 * `quarantined` equal to `state = 'quarantined'`: with `state` in the condition of an index, each change of a state would
 * write all indexes of `urls` (docs/measurements/ledger.md).
 */
export const IN_QUARANTINE = dialectal(sql`state = 'quarantined'`, sql`quarantined`);
