// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of other files
import { BATCHES, SUBMISSION } from './folders.ts';
import type { Mutation } from './mutation.ts';
import { BUYS_TWIN } from './second-layers.ts';

/** Plans, keys and generations. */
export const PLANS_AND_GENERATIONS: readonly Mutation[] = [
  {
    name: 'does not grow the generation',
    file: 'src/ledger/plans/plan-next.ts',
    from: 'generation: generation + 1 })),',
    to: 'generation: Math.max(1, generation) })),',
  },
  {
    name: 'has one key for all generations',
    file: `${SUBMISSION}/freeze.ts`,
    from: "'POST /submissions', watch, service, tagged, generation, digest]);",
    to: "'POST /submissions', watch]);",
  },
  {
    name: 'has another key at each restart',
    file: 'activities/dispatch.ts',
    from: 'const tracked = await startTrackers(deps, account);',
    to: "const tracked = await startTrackers(deps, account);\n      await ledger.db.run({ strings: [\"UPDATE batches SET idempotency_key = idempotency_key || 'x' WHERE state = 'sending'\"], parts: [] } as never);",
  },
  {
    name: 'leaves planned URLs due',
    file: `${BATCHES}/insert-batch.ts`,
    from: 'due = NULL, due_at = NULL,\n        guard_passed = 1, planned_version = version, generation',
    to: "due = 'new', due_at = NULL,\n        guard_passed = 1, planned_version = version, generation",
  },
  {
    name: 'does not remember the version that it buys',
    file: `${BATCHES}/accept-batch.ts`,
    from: "ELSE ${toLatestSql('bought_version', 'coalesce(planned_version, version)')} END,",
    to: 'ELSE bought_version END,',
    needs: ['lastmod there and back'],
  },
  {
    name: 'buys what another watch has bought',
    ...BUYS_TWIN,
    actsAtEnd: true,
  },
  {
    name: 'buys what another watch has planned',
    file: 'src/ledger/plans/resubmission.ts',
    from: "if (other === 'planned' && !keepsTime) {",
    to: "if (other === 'planned' && now < 0) {",
    actsAtEnd: true,
    needs: ['planned by another watch'],
  },
  {
    name: 'buys a version again that it has bought',
    file: 'src/ledger/plans/resubmission.ts',
    from: 'if (row.bought_version !== null && row.version !== null && !isLater(row.version, row.bought_version)) {',
    to: 'if (now < 0) {',
    actsAtEnd: true,
    needs: ['lastmod there and back'],
  },
  {
    name: 'puts rejected URLs into the parts again',
    file: `${BATCHES}/refuse-batch.ts`,
    from: 'const good = members.filter(({ url }) => rejected?.has(url) !== true);',
    to: 'const good = members;',
  },
  {
    name: 'puts all URLs of a batch in quarantine for one',
    file: `${SUBMISSION}/refusal.ts`,
    from: "if (only !== undefined && urls.length === 1)\n    return quarantine([{ url: only, reason: error.message || 'refused by the service' }]);",
    to: 'if (only !== undefined) return quarantine(urls.map((url) => ({ url, reason: error.message })));',
    needs: ['poisoned page'],
  },
  {
    name: 'leaves half of a split batch out',
    file: `${BATCHES}/refuse-batch.ts`,
    from: 'for (const part of parts) {',
    to: 'for (const part of parts.slice(0, 1)) {',
  },
];
