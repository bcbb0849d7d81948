import { BATCHES, MONEY } from './folders.ts';
import type { Change } from './mutation.ts';

// Layers that would hide another defect, taken away with it. Some are mutations of their own, too.

export const CANCELS_SENDING: Change = {
  file: `${BATCHES}/transitions.ts`,
  from: "await change(tx, row.id, now, ['planned'], 'cancelled'",
  to: "await change(tx, row.id, now, ['planned', 'sending'], 'cancelled'",
};
export const CANCELS_IN_DOUBT: Change = {
  file: `${BATCHES}/transitions.ts`,
  from: "if (row.in_doubt_since !== null) throw notAllowed({ kind: 'batch', id: row.id }, 'sending');",
  to: '',
};
export const TRUSTS_REFUSAL: Change = {
  file: `${BATCHES}/record-answer.ts`,
  from: 'if (!certain) return putInDoubt(tx, row, reason, outcome);',
  to: '',
};
export const READS_NO_SHOWN_PRICE: Change = {
  file: `${MONEY}/confirm-account.ts`,
  from: 'if (price === null || price <= 0) return;',
  to: 'if (price !== -1) return;',
};
export const KEEPS_ITS_TURN: Change = {
  file: `${BATCHES}/begin-send.ts`,
  from: "await recordTurn(tx, row, now);\n      return { kind: 'reconcile', tag, firstSentAt: findFirstSent(inDoubtSince, now), ...named };",
  to: "return { kind: 'reconcile', tag, firstSentAt: findFirstSent(inDoubtSince, now), ...named };",
};
export const SENDS_BEYOND_CAPS: Change = {
  file: `${BATCHES}/begin-send.ts`,
  from: 'if (refusal !== null) {',
  to: 'if (refusal !== null && now < 0) {',
};
export const FORGETS_RUN_LIMIT: Change = {
  file: `${BATCHES}/funds.ts`,
  from: 'const caps = await withRunCap(db, batch, watch.spend);',
  to: 'const caps = watch.spend;',
};
export const BUYS_TWIN: Change = {
  file: 'src/ledger/plans/resubmission.ts',
  from: "if (other === 'bought') return { kind: 'drop', reason: { code: 'bought_by_other_watch' } };",
  to: '',
};
