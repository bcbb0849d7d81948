import { SUBMISSION } from './folders.ts';
import type { Mutation } from './mutation.ts';
import { TRUSTS_REFUSAL } from './second-layers.ts';

/** Ended jobs, and what failed. */
export const ENDED_JOBS: readonly Mutation[] = [
  {
    name: 'retries the URLs of a completed job',
    file: 'src/ledger/jobs/settle-job.ts',
    from: 'await complete(tx, job.id, now);',
    to: '',
  },
  {
    name: 'settles a job at each poll',
    file: 'src/ledger/jobs/settle-job.ts',
    from: 'if (job.settled_at !== null) return settledCounts(tx, job.id);',
    to: 'if (job.settled_at === -1) return settledCounts(tx, job.id);',
    needs: ['checked, then reset'],
  },
  {
    name: 'buys a failed URL once more than it may',
    file: `${SUBMISSION}/generations.ts`,
    from: 'if (failures > policy.times) {',
    to: 'if (failures > policy.times + 1) {',
  },
  {
    name: 'does not take the failure of a job for one of its URLs',
    file: 'src/ledger/jobs/settle-job.ts',
    from: 'await fail(tx, job.id, job.ended_at, retryFailed);',
    to: '',
    needs: ['fails'],
  },
  {
    name: "does not record the results of a job's URLs",
    file: 'src/ledger/jobs/settle-job.ts',
    from: 'if (job.settled_at !== null) return { matched: 0, unknown: 0 };',
    to: 'return { matched: 0, unknown: 0 };',
    needs: ['fails'],
  },
  {
    name: 'splits at a 413 although an earlier attempt is in doubt (fixed: money 17)',
    file: `${SUBMISSION}/refusal.ts`,
    from: 'if (status === 413) return whenCertain(tooLarge(request, said), request);',
    to: 'if (status === 413) return tooLarge(request, said) as never;',
    actsAtEnd: true,
    also: [TRUSTS_REFUSAL],
    needs: ['lost, then split'],
  },
  {
    name: 'takes a refusal for certain after an attempt in doubt',
    file: `${SUBMISSION}/refusal.ts`,
    from: "if (!inDoubt || refusal.kind === 'defect') return refusal;",
    to: 'return refusal;',
    also: [TRUSTS_REFUSAL],
    needs: ['lost, then refused'],
  },
];
