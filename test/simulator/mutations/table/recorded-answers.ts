// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of other files
import { BATCHES } from './folders.ts';
import type { Mutation } from './mutation.ts';
import { READS_NO_SHOWN_PRICE } from './second-layers.ts';

/** When the answer is recorded. */
export const RECORDED_ANSWERS: readonly Mutation[] = [
  {
    name: 'trusts the last answer alone',
    file: `${BATCHES}/record-answer.ts`,
    from: "const certain = outcome.chargeState === 'none' && (await isNothingInDoubt(tx, row));",
    to: "const certain = outcome.chargeState === 'none';",
    needs: ['cancel batch', 'lost, then not taken'],
  },
  {
    name: 'takes an attempt without an answer for one that was not charged',
    file: `${BATCHES}/record-answer.ts`,
    from: 'return answered.attempts >= row.attempts;',
    to: 'return answered.attempts >= 1;',
    needs: ['died, refused, cancelled'],
  },
  {
    name: 'takes every retry for certain',
    file: `${BATCHES}/record-answer.ts`,
    from: 'await putBack(tx, row, now, { certain, wait: { since: now, until: notBefore }, reason });',
    to: 'await putBack(tx, row, now, { certain: true, wait: { since: now, until: notBefore }, reason });',
    needs: ['cancel batch', 'answers are lost'],
  },
  {
    name: 'never tries again what a gateway refused',
    file: `${BATCHES}/record-answer.ts`,
    from: 'const notBefore = now + (outcome.retryAfterMs ?? answer.backoffMs ?? 0);',
    to: 'const notBefore = now + 9e12;',
    needs: ['nothing is taken'],
  },
  {
    name: 'does not record the charge',
    file: `${BATCHES}/accept-batch.ts`,
    from: 'amount: charged.amount,\n    atLeast',
    to: 'amount: 0,\n    atLeast',
  },
  {
    name: 'records the charge that it expected',
    file: `${BATCHES}/accept-batch.ts`,
    from: 'amount: charged.amount,\n    atLeast',
    to: 'amount: row.expected_cost ?? charged.amount,\n    atLeast',
    needs: ['change price'],
  },
  {
    name: 'takes the price of a replayed answer for the price of now (fixed: money 29)',
    file: `${BATCHES}/accept-batch.ts`,
    from: 'at: Math.min(now, row.in_doubt_since ?? now),',
    to: 'at: now,',
    also: [READS_NO_SHOWN_PRICE],
    needs: ['old answer after a rise'],
  },
  {
    name: 'leaves accepted URLs planned',
    file: `${BATCHES}/accept-batch.ts`,
    from: "AND state = 'planned'`);\n  await keepLaterChanges",
    to: "AND state = 'none'`);\n  await keepLaterChanges",
  },
  {
    name: 'keeps an accepted batch as planned',
    file: `${BATCHES}/transitions.ts`,
    from: "'accepted', reason, found)",
    to: "'planned', reason, found)",
  },
];
