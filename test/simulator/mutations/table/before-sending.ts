// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of other files
import { BATCHES, SUBMISSION } from './folders.ts';
import type { Mutation } from './mutation.ts';
import { CANCELS_IN_DOUBT, CANCELS_SENDING, SENDS_BEYOND_CAPS } from './second-layers.ts';

/** Before a batch is sent. */
export const BEFORE_SENDING: readonly Mutation[] = [
  {
    name: 'never stops to trust a key',
    file: `${SUBMISSION}/reconcile.ts`,
    from: 'return hasPassed(firstSentAt, keyTrustMs, now);',
    to: 'return hasPassed(firstSentAt, keyTrustMs * 1e6, now);',
    needs: ['two doubts in thirty hours'],
  },
  {
    name: 'sends for a watch that is not configured',
    file: `${BATCHES}/begin-send.ts`,
    from: "if (watch === null) return withdraw(tx, row, now, { code: 'watch_removed' });",
    to: 'watch ??= { spend: {} } as never;',
    actsAtEnd: true,
    needs: ['remove watch', 'nothing is taken'],
  },
  {
    name: 'sends beyond a cap',
    ...SENDS_BEYOND_CAPS,
    actsAtEnd: true,
    needs: ['cap falls while a batch waits'],
  },
  {
    name: 'takes back a batch in doubt',
    file: `${BATCHES}/begin-send.ts`,
    from: 'if (inDoubtSince === null && isBeyondCap(refusal)) return dissolve',
    to: 'if (isBeyondCap(refusal)) return dissolve',
    also: [CANCELS_SENDING, CANCELS_IN_DOUBT],
    needs: ['lower cap', 'answers are lost', 'list lags'],
  },
  {
    name: 'takes back a batch in doubt when its watch is gone',
    file: `${BATCHES}/begin-send.ts`,
    from: 'if (row.in_doubt_since === null) return dissolve(tx, row, now, reason);',
    to: 'return dissolve(tx, { ...row, in_doubt_since: null }, now, reason);',
    also: [CANCELS_SENDING, CANCELS_IN_DOUBT],
    needs: ['in review beside a cap'],
  },
  {
    name: 'cancels a batch in doubt for an operator',
    file: `${BATCHES}/cancel-batch.ts`,
    from: "if (row.state !== 'planned' || row.in_doubt_since !== null) {",
    to: "if (row.state !== 'planned' && row.state !== 'sending') {",
    also: [CANCELS_SENDING, CANCELS_IN_DOUBT],
    needs: ['cancel batch', 'answers are lost'],
  },
  {
    name: 'looks up no batch in doubt',
    file: `${BATCHES}/begin-send.ts`,
    from: 'if (inDoubtSince !== null && (row.needs_lookup === 1 || mustReconcile(inDoubtSince, now, afterMs))) {',
    to: 'if (now < 0) {',
    needs: ['two doubts in thirty hours'],
  },
  {
    name: 'does not record the attempt',
    file: `${BATCHES}/transitions.ts`,
    from: 'sql`attempts = attempts + 1`,',
    to: 'sql`attempts = attempts`,',
    needs: ['died, refused, cancelled'],
  },
  {
    name: 'forgets that a batch is in doubt',
    file: `${BATCHES}/transitions.ts`,
    from: 'sql`in_doubt_since = coalesce(in_doubt_since, ${now})`,',
    to: 'sql`in_doubt_since = NULL`,',
    also: [CANCELS_SENDING],
    needs: ['lower cap', 'answers are lost', 'list lags'],
  },
  {
    name: 'begins the doubt again at each attempt',
    file: `${BATCHES}/transitions.ts`,
    from: 'sql`in_doubt_since = coalesce(in_doubt_since, ${now})`,',
    to: 'sql`in_doubt_since = ${now}`,',
    needs: ['two doubts in thirty hours'],
  },
];
