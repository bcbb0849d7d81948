// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of other files
import { BATCHES, MONEY, SUBMISSION } from './folders.ts';
import type { Mutation } from './mutation.ts';
import { FORGETS_RUN_LIMIT } from './second-layers.ts';

/** Fixes of money findings, each with the sequence that shows it. */
export const MONEY_FINDINGS: readonly Mutation[] = [
  {
    name: 'sends batches that may not be sent again and again (fixed: money 3)',
    file: `${BATCHES}/begin-send.ts`,
    from: 'await setAside(tx, row, { wait: { since: now, until }, reason: refusal.reason });',
    to: 'await setAside(tx, row, { wait: null, reason: refusal.reason });',
    needs: ['twelve batches may not be sent'],
  },
  {
    name: 'keeps a batch that costs more than its whole cap (fixed: money 7)',
    file: `${BATCHES}/begin-send.ts`,
    from: 'if (inDoubtSince === null && isBeyondCap(refusal)) return dissolve(tx, row, now, refusal.reason);',
    to: '',
    needs: ['batch above its cap'],
  },
  {
    name: 'forgets the limit of a run when it sends (fixed: money 10)',
    ...FORGETS_RUN_LIMIT,
    needs: ['run with a limit, then a rise'],
  },
  {
    name: 'approves by itself that all lastmods move (fixed: money 20)',
    file: `${SUBMISSION}/guard.ts`,
    from: 'changed >= FEWEST_CHANGED && exceeds(changed, maxChangedPercent)',
    to: 'changed < 0 && exceeds(changed, maxChangedPercent)',
    needs: ['all lastmods move'],
  },
  {
    name: 'forgets a change that was seen after a recovered job began (fixed: money 21)',
    file: 'src/ledger/jobs/recover.ts',
    from: "const changedAfter = sql`(urls.due = 'changed' AND",
    to: "const changedAfter = sql`(urls.due = 'none' AND",
    needs: ['copy between two changes'],
  },
  {
    name: 'waits for a balance that it cannot read (fixed: money 22)',
    file: 'activities/dispatch.ts',
    from: 'if (countAttempts(waiting.waits) > 1 && account.spend.balanceFloor <= 0) {',
    to: 'if (now() < 0) {',
    needs: ['topped up, balance unreadable'],
  },
  {
    name: 'believes a balance from the future (fixed: money 27)',
    file: `${MONEY}/balance.ts`,
    from: ' OR balance_at > ${at + CLOCK_ERROR_MS})`);',
    to: ')`);',
    needs: ['clock ahead for a while'],
  },
  {
    name: 'believes that a batch cost the price of one URL (fixed: money 11)',
    file: `${MONEY}/charge.ts`,
    from: 'if (urls === 1) return false;',
    to: 'if (urls >= 1) return false;',
    needs: ['reported the price of one'],
  },
  {
    name: 'never checks again what was refused (fixed: money 18)',
    file: 'src/ledger/index-checks/record-check.ts',
    from: 'SET next_at = ${now + Math.max(everyMs, REJECTED_AGAIN_MS)}',
    to: 'SET next_at = ${9e15}',
    needs: ['checks refused for a while'],
  },
  {
    name: 'begins an index-check again for another account (fixed: money 19)',
    file: 'src/ledger/index-checks/begin-check.ts',
    from: 'if (open !== undefined && !isOf(open, account, watch)) {',
    to: 'if (open !== undefined && now < 0) {',
    actsAtEnd: true,
    needs: ['check in doubt, then another account'],
  },
  {
    name: 'records an attempt before it has the key (fixed: money 23)',
    file: 'src/rate-limit/limited-client.ts',
    from: 'client.requireKey();',
    to: '',
    needs: ['key away, then cancelled'],
  },
  {
    name: 'reads a position as an index (fixed: money 24)',
    file: 'src/api-client/read/errors.ts',
    from: "readFirst(fields, ['index', 'urlindex'], asCount);",
    to: "readFirst(fields, ['index', 'urlindex', 'position'], asCount);",
    needs: ['bad page, position from one'],
  },
  {
    name: 'takes a job with another count of URLs for another batch (fixed: money 33)',
    file: `${SUBMISSION}/reconcile.ts`,
    from: 'if (createdAt !== null && createdAt < batch.firstSentAt - CLOCK_SKEW_MS)',
    to: 'if (candidate.urlCount !== batch.urls.length || (createdAt !== null && createdAt < batch.firstSentAt - CLOCK_SKEW_MS))',
    needs: ['lost, and the list counts otherwise'],
  },
];
