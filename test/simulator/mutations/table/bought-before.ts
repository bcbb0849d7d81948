// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of other files
import { BATCHES } from './folders.ts';
import type { Mutation } from './mutation.ts';
import { BUYS_TWIN } from './second-layers.ts';

/** What was bought before. */
export const BOUGHT_BEFORE: readonly Mutation[] = [
  {
    name: 'spends with a copy of the ledger that lacks jobs (fixed: money 4)',
    file: 'activities/compare-history.ts',
    from: 'if (isOurs === true) ours.push(job.reference);',
    to: '',
    needs: ['copy, then more pages'],
  },
  {
    name: 'buys without a list that it has never read',
    file: 'activities/history-guard.ts',
    from: 'if (mustRead && mayPass(error)) return held',
    to: 'if (held !== null && mayPass(error)) return held',
    needs: ['copy while the list fails'],
  },
  {
    name: 'forgets at once that it holds an account (money 4)',
    file: 'src/ledger/accounts/stops.ts',
    from: "(await findStop(db, account, 'history'))?.reason.hold ?? null;",
    to: 'account === null ? null : null;',
    also: [
      { file: 'src/ledger/batches/begin-send.ts', from: 'if (hold !== null) {', to: 'if (hold !== null && now < 0) {' },
      {
        file: 'activities/history-guard.ts',
        from: "if (compared.kind === 'compared' && compared.hold !== null) return compared.hold;",
        to: '',
      },
    ],
    needs: ['copy, then more pages'],
  },
  {
    name: 'leaves recovered URLs in batches that wait (fixed: money 4)',
    file: 'src/ledger/jobs/recover.ts',
    from: 'await takeOutOfBatches(tx, now, account, ids, job);',
    to: '',
    needs: ['copy, then more pages'],
  },
  {
    name: 'does not grow the generation of a recovered URL (fixed: money 4)',
    file: 'src/ledger/jobs/recover.ts',
    from: 'UPDATE urls SET generation = generation + 1,',
    to: 'UPDATE urls SET generation = generation,',
    needs: ['copy between two changes'],
  },
  {
    name: 'leaves recovered URLs due (fixed: money 4)',
    file: 'src/ledger/jobs/recover.ts',
    from: "due = CASE WHEN NOT ${isLatest} THEN urls.due WHEN ${changedAfter} THEN 'changed' ELSE NULL END,",
    to: 'due = urls.due,',
    needs: ['copy, then more pages'],
  },
  {
    name: 'recovers a job as if it had cost nothing',
    file: 'src/ledger/jobs/recover.ts',
    from: 'amount: job.charge ?? (perUrl === null ? null : timesMicros(perUrl, ids.length)),',
    to: 'amount: 0,',
    needs: ['restore ledger'],
  },
  {
    name: 'takes a URL that another watch has planned for bought (fixed: money 6)',
    file: 'src/ledger/plans/resubmission.ts',
    from: 'THEN 1 ELSE 0 END) AS other',
    to: 'THEN 0 ELSE 0 END) AS other',
    needs: ['planned by another watch'],
  },
  {
    name: 'gives the rows of a renamed watch no past (fixed: money 6)',
    file: 'src/ledger/pages/take-over.ts',
    from: 'if (rows.length === 0) return;',
    to: 'if (rows.length >= 0) return;',
    also: [BUYS_TWIN],
    needs: ['rename watch'],
  },
  {
    name: 'does not make the URLs of a batch taken back due (fixed: money 7)',
    file: `${BATCHES}/cancel-batch.ts`,
    from: "due = coalesce(m.due, 'released'), due_at = NULL, guard_passed",
    to: 'due = NULL, due_at = NULL, guard_passed',
    needs: ['cancel batch', 'nothing is taken'],
  },
  {
    name: 'forgets when a URL was bought',
    file: `${BATCHES}/accept-batch.ts`,
    from: 'reason_params = NULL, bought_at = ${now}',
    to: 'reason_params = NULL, bought_at = NULL',
  },
];
