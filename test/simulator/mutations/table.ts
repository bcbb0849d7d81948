// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of other files
/** A deliberate defect: a text of a file, which is there once, and what stands in its place. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** It changes nothing before the last character of `from` runs; else before the first. */
  readonly actsAtEnd?: boolean;
}

const BATCHES = 'src/ledger/batches';
const MONEY = 'src/ledger/money';
const SUBMISSION = 'src/submission';

/** Dropped conditions, swapped orders, forgotten steps in the code that spends money. */
export const MUTATIONS: readonly Mutation[] = [
  // Before a batch is sent
  {
    name: 'sends in spite of a hold of the account',
    file: `${BATCHES}/begin-send.ts`,
    from: 'if (hold !== null) {',
    to: 'if (hold !== null && now < 0) {',
    actsAtEnd: true,
  },
  {
    name: 'sends a batch that has its answer',
    file: `${BATCHES}/begin-send.ts`,
    from: "if (row.state !== 'planned' && row.state !== 'sending') {",
    to: "if (row.state === 'refused') {",
    actsAtEnd: true,
  },
  {
    name: 'never stops to trust a key',
    file: `${SUBMISSION}/reconcile.ts`,
    from: 'return now - firstSentAt >= keyTrustMs;',
    to: 'return now - firstSentAt >= keyTrustMs * 1e6;',
  },
  {
    name: 'does not look up a batch that must be looked up',
    file: `${BATCHES}/begin-send.ts`,
    from: 'if (inDoubtSince !== null && (row.needs_lookup === 1 || mustReconcile(inDoubtSince, now, afterMs))) {',
    to: 'if (inDoubtSince !== null && mustReconcile(inDoubtSince, now, afterMs)) {',
    actsAtEnd: true,
  },
  {
    name: 'does not look up a batch of a restored copy',
    file: `${BATCHES}/begin-send.ts`,
    from: 'if (inDoubtSince === null && mustReconcile(await getLastActivity(tx, row), now, afterMs)) {',
    to: 'if (inDoubtSince === null && now < 0) {',
    actsAtEnd: true,
  },
  {
    name: 'sends for a watch that is not configured',
    file: `${BATCHES}/begin-send.ts`,
    from: 'if (watch === null) return withoutWatch(tx, row, now);',
    to: 'watch ??= { spend: {} } as never;',
    actsAtEnd: true,
  },
  {
    name: 'sends beyond a cap',
    file: `${BATCHES}/begin-send.ts`,
    from: 'if (refusal !== null) {',
    to: 'if (refusal !== null && now < 0) {',
    actsAtEnd: true,
  },
  {
    name: 'takes back a batch in doubt',
    file: `${BATCHES}/begin-send.ts`,
    from: 'if (inDoubtSince === null && isBeyondCap(refusal)) return dissolve',
    to: 'if (isBeyondCap(refusal)) return dissolve',
  },
  {
    name: 'takes back a batch in doubt when its watch is gone',
    file: `${BATCHES}/begin-send.ts`,
    from: 'if (row.in_doubt_since === null) return dissolve(tx, row, now, reason);',
    to: 'return dissolve(tx, { ...row, in_doubt_since: null }, now, reason);',
  },
  {
    name: 'does not record the attempt',
    file: `${BATCHES}/transitions.ts`,
    from: 'sql`attempts = attempts + 1`,',
    to: 'sql`attempts = attempts`,',
  },
  {
    name: 'forgets that a batch is in doubt',
    file: `${BATCHES}/transitions.ts`,
    from: 'sql`in_doubt_since = coalesce(in_doubt_since, ${now})`,',
    to: 'sql`in_doubt_since = NULL`,',
  },
  {
    name: 'begins the doubt again at each attempt',
    file: `${BATCHES}/transitions.ts`,
    from: 'sql`in_doubt_since = coalesce(in_doubt_since, ${now})`,',
    to: 'sql`in_doubt_since = ${now}`,',
  },
  // When the answer is recorded
  {
    name: 'trusts the last answer alone',
    file: `${BATCHES}/record-answer.ts`,
    from: "const certain = outcome.chargeState === 'none' && (await isNothingInDoubt(tx, row));",
    to: "const certain = outcome.chargeState === 'none';",
  },
  {
    name: 'takes an attempt without an answer for one that was not charged',
    file: `${BATCHES}/record-answer.ts`,
    from: 'return answered.attempts >= row.attempts;',
    to: 'return answered.attempts >= 1;',
  },
  {
    name: 'takes every retry for certain',
    file: `${BATCHES}/record-answer.ts`,
    from: 'await putBack(tx, row, { certain, notBefore, reason });',
    to: 'await putBack(tx, row, { certain: true, notBefore, reason });',
  },
  {
    name: 'splits a batch that may be charged',
    file: `${BATCHES}/record-answer.ts`,
    from: 'if (!certain) return putInDoubt(tx, row, reason, outcome);',
    to: '',
    actsAtEnd: true,
  },
  {
    name: 'carries out an answer that comes twice',
    file: `${BATCHES}/record-answer.ts`,
    from: "if (row.state !== 'sending' || !first) return describeState(row);",
    to: "if (row.state !== 'sending') return describeState(row);",
    actsAtEnd: true,
  },
  {
    name: 'does not record the charge',
    file: `${BATCHES}/accept-batch.ts`,
    from: "'batch', ${row.id}, ${row.urls}, ${charged.amount ?? ZERO},",
    to: "'batch', ${row.id}, ${row.urls}, ${ZERO},",
  },
  {
    name: 'leaves accepted URLs planned',
    file: `${BATCHES}/accept-batch.ts`,
    from: "AND state = 'planned'`);\n  return { kind: 'accepted', batch: row.id",
    to: "AND state = 'none'`);\n  return { kind: 'accepted', batch: row.id",
  },
  {
    name: 'lets the parts go on when their whole was accepted',
    file: `${BATCHES}/accept-batch.ts`,
    from: "await reviewUnsentParts(tx, row, { code: 'parent_accepted', batch: row.id });",
    to: '',
  },
  {
    name: 'keeps an accepted batch as planned',
    file: `${BATCHES}/transitions.ts`,
    from: "again ? 'needs_review' : 'accepted', reason, [",
    to: "again ? 'needs_review' : 'planned', reason, [",
  },
  {
    name: 'makes URLs of a batch in doubt due again',
    file: `${BATCHES}/transitions.ts`,
    from: "if (row.in_doubt_since !== null) throw notAllowed(row.id, 'sending');",
    to: '',
    actsAtEnd: true,
  },
  // Lookups
  {
    name: 'trusts the first list that does not have the job',
    file: `${BATCHES}/record-reconciled.ts`,
    from: 'if (now - (row.absent_at ?? now) < confirmMs) {',
    to: 'if (now < 0) {',
    actsAtEnd: true,
  },
  {
    name: 'takes any job with the first URL for the batch',
    file: `${SUBMISSION}/reconcile.ts`,
    from: "if (project !== null && parseTag(project) !== null) return { kind: 'other' };",
    to: "if (project !== null && parseTag(project) !== null) return { kind: 'same' };",
    actsAtEnd: true,
  },
  {
    name: 'does not know its own job in the list',
    file: `${SUBMISSION}/reconcile.ts`,
    from: "if (project?.includes(batch.tag) === true) return { kind: 'same' };",
    to: "if (project?.includes(batch.tag) === true) return { kind: 'other' };",
    actsAtEnd: true,
  },
  {
    name: 'compares the history with the ledger never',
    file: 'activities/compare-history.ts',
    from: 'if (compared.at === null || now() - compared.at >= SILENCE_MS) {',
    to: 'if (now() < 0) {',
    actsAtEnd: true,
  },
  {
    name: 'holds an account for a job that another comparison has found (fixed: seed 38)',
    file: 'activities/compare-history.ts',
    from: 'if (ours.length > 0) ours.splice(0, ours.length, ...(await selectUnknown(ledger, account, ours)));',
    to: '',
    actsAtEnd: true,
  },
  {
    name: 'does not track a job accepted long before the next step (fixed: seed 38)',
    file: 'activities/trackers.ts',
    from: 'Math.min(tracked.listedAt, listedAt) - RECENT_MS',
    to: 'deps.now() - RECENT_MS',
  },
  {
    name: 'does not start the dispatcher for a run that waits (fixed: seed 30390)',
    file: 'activities/runs.ts',
    from: 'await ensureDispatcher(client, ledger.id, account);',
    to: ';',
  },
  // Plans, keys and generations
  {
    name: 'does not grow the generation',
    file: 'src/ledger/plans/make-plan.ts',
    from: 'generation: generation + 1 })),',
    to: 'generation: Math.max(1, generation) })),',
  },
  {
    name: 'plans a run twice',
    file: 'src/ledger/plans/make-plan.ts',
    from: 'return row.planned_at === null ? makePlan(',
    to: 'return row.planned_at !== -1 ? makePlan(',
  },
  {
    name: 'plans a run that was rejected',
    file: 'src/ledger/plans/make-plan.ts',
    from: "if (row.held !== null && row.decision !== 'approved') {",
    to: "if (row.held !== null && row.decision === 'none') {",
    actsAtEnd: true,
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
    from: 'due = NULL, due_at = NULL,\n        guard_passed = 1, bought_lastmod = lastmod, generation',
    to: "due = 'new', due_at = NULL,\n        guard_passed = 1, bought_lastmod = lastmod, generation",
  },
  {
    name: 'does not remember the lastmod that it buys',
    file: `${BATCHES}/insert-batch.ts`,
    from: 'bought_lastmod = lastmod, generation = m.generation',
    to: 'generation = m.generation',
  },
  {
    name: 'buys what another watch has bought',
    file: 'src/ledger/plans/resubmission.ts',
    from: "if (other === 'bought') return { kind: 'drop', reason: { code: 'bought_by_other_watch' } };",
    to: '',
    actsAtEnd: true,
  },
  {
    name: 'buys what another watch has planned',
    file: 'src/ledger/plans/resubmission.ts',
    from: "if (other === 'planned') {",
    to: "if (other === 'planned' && now < 0) {",
    actsAtEnd: true,
  },
  {
    name: 'buys a lastmod again that it has bought',
    file: 'src/ledger/plans/resubmission.ts',
    from: 'if (row.generation > 0 && row.lastmod !== null && row.lastmod === row.bought_lastmod) {',
    to: 'if (now < 0) {',
    actsAtEnd: true,
  },
  {
    name: 'puts rejected URLs into the parts again',
    file: `${BATCHES}/refuse-batch.ts`,
    from: 'const good = members.filter(({ url }) => rejected?.has(url) !== true);',
    to: 'const good = members;',
  },
  {
    name: 'leaves half of a split batch out',
    file: `${BATCHES}/refuse-batch.ts`,
    from: 'for (const part of parts) {',
    to: 'for (const part of parts.slice(0, 1)) {',
  },
  // Caps and the floor
  {
    name: 'does not count what is on its way',
    file: `${MONEY}/spend.ts`,
    from: "OR b.state = 'sending')\n    AND b.id",
    to: "OR b.state = 'none')\n    AND b.id",
  },
  {
    name: 'counts the charges of one watch for the account',
    file: `${MONEY}/spend.ts`,
    from: 'WHERE c.account_id = ${account}`;',
    to: 'WHERE c.account_id = ${account} AND c.watch_id = 1`;',
  },
  {
    name: 'begins the day an hour ago',
    file: `${MONEY}/spend.ts`,
    from: 'return Math.floor(now / 86_400_000) * 86_400_000;',
    to: 'return now - 3_600_000;',
  },
  {
    name: 'ignores the cap of the account',
    file: `${SUBMISSION}/caps.ts`,
    from: "cap('account', 'day', account.caps.perDay, account.spent.day);",
    to: '',
  },
  {
    name: 'ignores the floor',
    file: `${SUBMISSION}/caps.ts`,
    from: 'const left = atLeastZero(balance - floor);',
    to: 'const left = atLeastZero(balance);',
  },
  // Ended jobs
  {
    name: 'retries the URLs of a completed job',
    file: 'src/ledger/jobs/settle-job.ts',
    from: 'await complete(tx, job.id, now);',
    to: '',
  },
  {
    name: 'settles a job at each poll',
    file: 'src/ledger/jobs/settle-job.ts',
    from: 'if (job.settled_at === null) await settleUrls(',
    to: 'if (job.settled_at !== -1) await settleUrls(',
  },
  // The answer table
  {
    name: 'takes a 503 for an answer that rules out a charge',
    file: `${SUBMISSION}/refusal.ts`,
    from: ': unknown(answer, `the service is not available${said}`);',
    to: ": retry('unavailable', 'none', retryAfterMs, said);",
  },
  {
    name: 'takes a lost connection for a request that was not sent',
    file: `${SUBMISSION}/refusal.ts`,
    from: 'return body.reached\n',
    to: 'return body.reached && status === 1\n',
  },
  {
    name: 'trusts a 422 while an earlier attempt is in doubt',
    file: `${SUBMISSION}/refusal.ts`,
    from: 'return whenCertain(invalid(body.error, request, said), request);',
    to: 'return invalid(body.error, request, said) as never;',
  },
];
