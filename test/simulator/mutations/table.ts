// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of other files
import type { SeedKind } from '../world/draw-scenario.ts';
import type { Need } from '../world/focused.ts';

/** A text of a file, which is there once, and what stands in its place. */
interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** It changes nothing before the last character of `from` runs; else before the first. */
  readonly actsAtEnd?: boolean;
}

/** A deliberate defect. */
export interface Mutation extends Change {
  readonly name: string;
  /** Further layers that would hide it, taken away as well. */
  readonly also?: readonly Change[];
  /** What a seed must have in it to find the defect: those without are not played, and count as played. */
  readonly needs?: readonly Need[];
  /** The kind of seeds that shows it; absent: sequences where it needs one, else focused seeds. */
  readonly kind?: SeedKind;
}

const BATCHES = 'src/ledger/batches';
const MONEY = 'src/ledger/money';
const PLANS = 'src/ledger/plans';
const SUBMISSION = 'src/submission';

const CANCELS_SENDING: Change = {
  file: `${BATCHES}/transitions.ts`,
  from: "await change(tx, row.id, ['planned'], 'cancelled'",
  to: "await change(tx, row.id, ['planned', 'sending'], 'cancelled'",
};
const CANCELS_IN_DOUBT: Change = {
  file: `${BATCHES}/transitions.ts`,
  from: "if (row.in_doubt_since !== null) throw notAllowed(row.id, 'sending');",
  to: '',
};
const TRUSTS_REFUSAL: Change = {
  file: `${BATCHES}/record-answer.ts`,
  from: 'if (!certain) return putInDoubt(tx, row, reason, outcome);',
  to: '',
};
const READS_NO_SHOWN_PRICE: Change = {
  file: `${MONEY}/confirm-account.ts`,
  from: 'if (price === null || price <= 0) return;',
  to: 'if (price !== -1) return;',
};
const KEEPS_ITS_TURN: Change = {
  file: `${BATCHES}/begin-send.ts`,
  from: "await recordTurn(tx, row, now);\n      return { kind: 'reconcile', tag, firstSentAt: inDoubtSince, ...named };",
  to: "return { kind: 'reconcile', tag, firstSentAt: inDoubtSince, ...named };",
};
const SENDS_BEYOND_CAPS: Change = {
  file: `${BATCHES}/begin-send.ts`,
  from: 'if (refusal !== null) {',
  to: 'if (refusal !== null && now < 0) {',
};
const FORGETS_RUN_LIMIT: Change = {
  file: `${BATCHES}/begin-send.ts`,
  from: 'await withRunCap(tx, row, watch.spend),',
  to: 'watch.spend,',
};
const BUYS_TWIN: Change = {
  file: 'src/ledger/plans/resubmission.ts',
  from: "if (other === 'bought') return { kind: 'drop', reason: { code: 'bought_by_other_watch' } };",
  to: '',
};

/** Dropped conditions, swapped orders, forgotten steps in the code that spends money. */
export const MUTATIONS: readonly Mutation[] = [
  // Before a batch is sent
  {
    name: 'never stops to trust a key',
    file: `${SUBMISSION}/reconcile.ts`,
    from: 'return now - firstSentAt >= keyTrustMs;',
    to: 'return now - firstSentAt >= keyTrustMs * 1e6;',
    needs: ['stop workers for days', 'forgets keys'],
  },
  {
    name: 'sends for a watch that is not configured',
    file: `${BATCHES}/begin-send.ts`,
    from: 'if (watch === null) return withoutWatch(tx, row, now);',
    to: 'watch ??= { spend: {} } as never;',
    actsAtEnd: true,
    needs: ['remove watch', 'nothing is taken'],
  },
  {
    name: 'sends beyond a cap',
    file: `${BATCHES}/begin-send.ts`,
    from: 'if (refusal !== null) {',
    to: 'if (refusal !== null && now < 0) {',
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
    needs: ['remove watch', 'answers are lost', 'list lags'],
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
  // When the answer is recorded
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
    from: 'await putBack(tx, row, { certain, notBefore, reason });',
    to: 'await putBack(tx, row, { certain: true, notBefore, reason });',
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
    from: "'batch', ${row.id}, ${row.urls}, ${charged.amount ?? ZERO},",
    to: "'batch', ${row.id}, ${row.urls}, ${ZERO},",
  },
  {
    name: 'records the charge that it expected',
    file: `${BATCHES}/accept-batch.ts`,
    from: "'batch', ${row.id}, ${row.urls}, ${charged.amount ?? ZERO},",
    to: "'batch', ${row.id}, ${row.urls}, ${row.expected_cost ?? charged.amount ?? ZERO},",
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
    from: "again ? 'needs_review' : 'accepted', reason, [",
    to: "again ? 'needs_review' : 'planned', reason, [",
  },
  // Lookups
  {
    name: 'trusts the first list that does not have the job',
    file: `${BATCHES}/record-reconciled.ts`,
    from: 'if (now - (row.absent_at ?? now) < confirmMs) {',
    to: 'if (now < 0) {',
    actsAtEnd: true,
    needs: ['lost, then refused', 'list lags'],
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
    needs: ['lost, then refused'],
  },
  {
    name: 'compares the history with the ledger never',
    file: 'activities/compare-history.ts',
    from: 'if (held !== null || compared.at === null || now() - compared.at >= SILENCE_MS) {',
    to: 'if (now() < 0) {',
    actsAtEnd: true,
    needs: ['copy, then more pages'],
  },
  {
    name: 'holds an account for a job that another comparison has found (fixed: seed 38)',
    file: 'activities/compare-history.ts',
    from: 'if (ours.length > 0) ours.splice(0, ours.length, ...(await selectUnknown(ledger, account, ours)));',
    to: '',
    actsAtEnd: true,
    needs: ['two workers', 'answers are lost'],
  },
  {
    name: 'does not track a job accepted long before the next step (fixed: seed 38)',
    file: 'activities/trackers.ts',
    from: 'Math.min(tracked.listedAt, listedAt) - RECENT_MS',
    to: 'deps.now() - RECENT_MS',
    needs: ['jump clock'],
  },
  {
    name: 'does not start the dispatcher for a run that waits (fixed: seed 30390)',
    file: 'activities/runs.ts',
    from: 'if (shouldEnsureDispatcher(attempt, progress.unanswered + due, isShown)) {',
    to: 'if (attempt < 0) {',
    needs: ['copy of a batch that waits'],
  },
  // Plans, keys and generations
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
    from: 'due = NULL, due_at = NULL,\n        guard_passed = 1, bought_lastmod = lastmod, generation',
    to: "due = 'new', due_at = NULL,\n        guard_passed = 1, bought_lastmod = lastmod, generation",
  },
  {
    name: 'does not remember the lastmod that it buys',
    file: `${BATCHES}/insert-batch.ts`,
    from: 'bought_lastmod = lastmod, generation = m.generation',
    to: 'generation = m.generation',
    needs: ['lastmod there and back'],
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
    from: "if (other === 'planned' && !keepsTime) {",
    to: "if (other === 'planned' && now < 0) {",
    actsAtEnd: true,
    needs: ['planned by another watch'],
  },
  {
    name: 'buys a lastmod again that it has bought',
    file: 'src/ledger/plans/resubmission.ts',
    from: 'if (row.generation > 0 && row.lastmod !== null && row.lastmod === row.bought_lastmod) {',
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
  // Plans of several batches
  {
    name: 'plans the next batch without its caps',
    file: `${PLANS}/plan-next.ts`,
    from: 'const bought = due.slice(0, urls);',
    to: 'const bought = [...due];',
    also: [SENDS_BEYOND_CAPS],
    needs: ['caps fall between two batches'],
  },
  {
    name: 'plans beyond the limit of a run',
    file: `${PLANS}/allowance.ts`,
    from: 'perRun: lowerCap(watch.spend.perRun, maxCost) };',
    to: 'perRun: lowerCap(watch.spend.perRun, null) };',
    also: [FORGETS_RUN_LIMIT],
    needs: ['run with a limit dies, then a rise'],
  },
  {
    name: 'forgets the limit of a run until its plan has ended',
    file: `${PLANS}/read-plan.ts`,
    from: 'addCounts(before.due, due))}, max_cost = ${maxCost}',
    to: 'addCounts(before.due, due))}, max_cost = NULL',
    needs: ['run with a limit dies, then a rise'],
  },
  {
    name: 'forgets the batches before when two share a transaction',
    file: `${PLANS}/make-plan.ts`,
    from: 'next = await planNext(tx, now(), await getRun(tx, run.name), input, next);',
    to: 'next = await planNext(tx, now(), run, input, next);',
    needs: ['plan dies again and again'],
  },
  {
    name: 'ends a plan with its progress before the last batch',
    file: `${PLANS}/plan-next.ts`,
    from: 'const planned = await getRun(tx, run.name);',
    to: 'const planned = run;',
    needs: ['plan dies again and again'],
  },
  {
    name: 'ends a plan with its first batch',
    file: `${PLANS}/plan-next.ts`,
    from: 'isLast = page.length < DUE_PAGE && decided.length === page.length;',
    to: 'isLast = page.length < DUE_PAGE;',
    needs: ['plan dies again and again'],
  },
  {
    name: 'takes a plan that was interrupted for made',
    file: `${PLANS}/make-plan.ts`,
    from: "{ readonly capped: number }> => {\n    if (run.planned_at !== null) return 'planned';",
    to: "{ readonly capped: number }> => {\n    if (run.planned_at !== null || run.planned_batches !== null) return 'planned';",
    needs: ['plan dies again and again'],
  },
  {
    name: 'buys under a cap what was found last',
    file: `${PLANS}/make-plan.ts`,
    from: 'sort(([a], [b]) => a - b)',
    to: 'sort(([a], [b]) => b - a)',
    needs: ['held, then more found'],
  },
  // Caps and the floor
  {
    name: 'does not count what is on its way',
    file: `${MONEY}/spend.ts`,
    from: "OR b.state = 'sending')\n    AND b.id",
    to: "OR b.state = 'none')\n    AND b.id",
    needs: ['in doubt beside a cap'],
  },
  {
    name: 'counts the charges of one watch for the account',
    file: `${MONEY}/spend.ts`,
    from: 'WHERE c.account_id = ${account}`;',
    to: 'WHERE c.account_id = ${account} AND c.watch_id = 1`;',
    needs: ['cap perDay', 'two watches'],
  },
  {
    name: 'begins the day an hour ago',
    file: `${MONEY}/spend.ts`,
    from: 'return Math.floor(now / 86_400_000) * 86_400_000;',
    to: 'return now - 3_600_000;',
    needs: ['cap perDay', 'long'],
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
    needs: ['raise floor'],
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
    from: 'unknown(answer, `the service is not available${said}`);',
    to: "retry('unavailable', 'none', retryAfterMs, said);",
    needs: ['lost, cancelled'],
  },
  {
    name: 'takes a lost connection for a request that was not sent',
    file: `${SUBMISSION}/refusal.ts`,
    from: 'return body.reached\n',
    to: 'return body.reached && status === 1\n',
    needs: ['lost, cancelled'],
  },
  {
    name: 'trusts a 422 while an earlier attempt is in doubt',
    file: `${SUBMISSION}/refusal.ts`,
    from: 'return whenCertain(invalid(body.error, request, said), request);',
    to: 'return invalid(body.error, request, said) as never;',
    also: [TRUSTS_REFUSAL],
    needs: ['lost, then split'],
  },
  // More of the caps and the balance
  {
    name: 'ignores the cap of a run',
    file: `${SUBMISSION}/caps.ts`,
    from: "cap('watch', 'run', watch.caps.perRun, watch.spent.run);",
    to: '',
  },
  {
    name: "ignores a watch's cap of the day",
    file: `${SUBMISSION}/caps.ts`,
    from: "cap('watch', 'day', watch.caps.perDay, watch.spent.day);",
    to: '',
  },
  {
    name: "ignores a watch's cap of the month",
    file: `${SUBMISSION}/caps.ts`,
    from: "cap('watch', 'month', watch.caps.perMonth, watch.spent.month);",
    to: '',
    needs: ['cap watchPerMonth'],
  },
  {
    name: "ignores the account's cap of the month",
    file: `${SUBMISSION}/caps.ts`,
    from: "cap('account', 'month', account.caps.perMonth, account.spent.month);",
    to: '',
  },
  {
    name: 'begins the month today',
    file: `${MONEY}/spend.ts`,
    from: 'return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);',
    to: 'return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());',
    needs: ['cap of a month on its second day'],
  },
  {
    name: 'does not learn a price that rises',
    file: `${MONEY}/price.ts`,
    from: 'if (charge <= 0 || urls < 1 || charge % urls !== 0) return;',
    to: 'if (charge <= 0 || urls < 1 || charge % urls !== 0 || charge / urls > 250_000) return;',
    also: [READS_NO_SHOWN_PRICE],
    needs: ['old answer after a rise'],
  },
  {
    name: 'sends at the price of the plan',
    file: `${MONEY}/price.ts`,
    from: 'return maxMicros(timesMicros(perUrl, batch.urls), batch.expected_cost ?? ZERO);',
    to: 'return batch.expected_cost ?? timesMicros(perUrl, batch.urls);',
    needs: ['price rises while a batch waits'],
  },
  {
    name: 'leaves charges since the balance was read on it (fixed: money 1)',
    file: `${MONEY}/balance.ts`,
    from: 'return micros(balance.amount - since.amount - committed);',
    to: 'return micros(balance.amount - committed);',
    needs: ['raise floor', 'two watches'],
  },
  {
    name: 'keeps the floor by a balance of any age (fixed: money 1)',
    file: `${MONEY}/balance.ts`,
    from: 'if (now - at >= FRESH_MS || at > now + CLOCK_ERROR_MS) return false;',
    to: '',
    needs: ['old balance beside a floor'],
  },
  {
    name: 'does not count a batch in review that may be charged (fixed: money 2)',
    file: `${MONEY}/spend.ts`,
    from: "AND b.state = 'needs_review' AND b.in_doubt_since IS NOT NULL",
    to: "AND b.state = 'none' AND b.in_doubt_since IS NOT NULL",
    needs: ['in review beside a cap'],
  },
  // What was bought before
  {
    name: 'spends with a copy of the ledger that lacks jobs (fixed: money 4)',
    file: 'activities/compare-history.ts',
    from: 'if (ours.length === 0) return null;',
    to: 'if (ours.length >= 0) return null;',
    needs: ['copy, then more pages'],
  },
  {
    name: 'buys without a list that it has never read',
    file: 'activities/compare-history.ts',
    from: 'if (mayPass && mustRead) {',
    to: 'if (mayPass && held !== null) {',
    needs: ['copy while the list fails'],
  },
  {
    name: 'forgets at once that it holds an account (money 4)',
    file: 'src/ledger/jobs/history-hold.ts',
    from: 'return row === undefined || row.hold === null ? null : (JSON.parse(row.hold) as HistoryHold);',
    to: "return row === undefined || row.hold !== '' ? null : (JSON.parse(row.hold) as HistoryHold);",
    also: [{ file: 'activities/compare-history.ts', from: '        if (hold !== null) return hold;\n', to: '' }],
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
    from: 'due = CASE WHEN NOT ${isLatest} OR ${changedAfter} THEN urls.due ELSE NULL END,',
    to: 'due = urls.due,',
    needs: ['copy, then more pages'],
  },
  {
    name: 'recovers a job as if it had cost nothing',
    file: 'src/ledger/jobs/recover.ts',
    from: 'const amount = job.charge ?? (perUrl === null ? ZERO : timesMicros(perUrl, ids.length));',
    to: 'const amount = ZERO;',
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
    file: 'src/ledger/crawl/take-over.ts',
    from: 'if (rows.length === 0) return;',
    to: 'if (rows.length >= 0) return;',
    also: [BUYS_TWIN],
    needs: ['rename watch'],
  },
  {
    name: 'does not make the URLs of a batch taken back due (fixed: money 7)',
    file: `${BATCHES}/cancel-batch.ts`,
    from: "due = coalesce(m.due, 'released'), due_at = NULL, guard_passed = 1,",
    to: 'due = NULL, due_at = NULL, guard_passed = 1,',
    needs: ['cancel batch', 'nothing is taken'],
  },
  {
    name: 'forgets when a URL was bought',
    file: `${BATCHES}/accept-batch.ts`,
    from: 'reason_params = NULL, bought_at = ${now}',
    to: 'reason_params = NULL, bought_at = NULL',
  },
  // Changes
  {
    name: 'takes no changed lastmod for a change',
    file: 'src/ledger/crawl/mark-changed.ts',
    from: "await recordLastmods(tx, source, rows, 'before');",
    to: '',
  },
  {
    name: 'takes a change while a batch is in doubt for bought (fixed: money 16)',
    file: 'src/ledger/crawl/record-lastmods.ts',
    from: "WHEN urls.state = 'planned' AND NOT ${isSent} THEN NULL",
    to: "WHEN urls.state = 'planned' THEN NULL",
    needs: ['changed while in doubt'],
  },
  {
    name: 'sees no change of a page that moves to another file (fixed: money 8)',
    file: 'src/ledger/crawl/insert-found.ts',
    from: "await recordLastmods(tx, source, listed, 'new');",
    to: '',
    needs: ['move to other file'],
  },
  {
    name: 'takes a lastmod that begins for a change',
    file: 'src/ledger/crawl/record-lastmods.ts',
    from: 'const isChange = sql`urls.lastmod IS NOT NULL AND r.lastmod IS NOT NULL AND ${isKnown}',
    to: 'const isChange = sql`r.lastmod IS NOT NULL AND ${isKnown}',
    also: [
      {
        file: 'src/ledger/crawl/record-lastmods.ts',
        from: 'WHEN urls.generation > 0 AND urls.lastmod IS NULL AND urls.bought_lastmod IS NULL THEN r.lastmod',
        to: '',
      },
    ],
    needs: ['pages get their first dates'],
  },
  // Failures
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
  // Requests, and what goes on by itself
  {
    name: 'sends without a key',
    file: 'src/api-client/client.ts',
    from: "'idempotency-key': post.key }),",
    to: '}),',
  },
  {
    name: 'makes new bytes at each attempt',
    file: 'activities/dispatch.ts',
    from: 'submit((client) => client.submit(sending.body, sending.key))',
    to: "submit((client) => client.submit(sending.body.replace(/^\\{/, `{${' '.repeat(attempt)}`), sending.key))",
  },
  {
    name: 'does not track recovered jobs (fixed: money 12)',
    file: 'activities/trackers.ts',
    from: '...(await listRecoveredSubmissions(deps.ledger, account, tracked.lastBatch)),',
    to: '',
    needs: ['copy that lacks an open job'],
  },
  {
    name: 'does not track a job again whose tracker has ended (fixed: money 13)',
    file: 'activities/trackers.ts',
    from: "workflowIdReusePolicy: 'ALLOW_DUPLICATE',",
    to: "workflowIdReusePolicy: 'REJECT_DUPLICATE',",
    needs: ['copy of an open job'],
  },
  {
    name: 'names no job that is overdue (fixed: money 15)',
    file: 'src/ledger/jobs/overdue-jobs.ts',
    from: "b.state = 'accepted' AND b.settled_at IS NULL",
    to: "b.state = 'none' AND b.settled_at IS NULL",
    needs: ['job overdue'],
  },
  {
    name: 'forgets a tracker that could not be started (fixed: money 14)',
    file: 'activities/trackers.ts',
    from: 'missing.set(reference, job);',
    to: 'references.add(reference);',
    needs: ['no tracker can be started'],
  },
  {
    name: 'never tries again what waited for money',
    file: `${MONEY}/account-status.ts`,
    from: "UPDATE batches SET not_before = NULL WHERE account_id = ${account} AND state IN ('planned', 'sending')",
    to: "UPDATE batches SET not_before = ${9e15} WHERE account_id = ${account} AND state IN ('planned', 'sending')",
    needs: ['topped up above a floor'],
  },
  {
    name: 'does not see that a key works again',
    file: 'activities/dispatch.ts',
    from: "if (answer.body.kind === 'success') {",
    to: "if (answer.body.kind === 'none') {",
    needs: ['key refused for a while'],
  },
  {
    name: 'stops at a list that fails (fixed: money 9)',
    file: 'activities/reconcile.ts',
    from: 'await postponeLookup(ledger, batch, now() + Math.max(retryAfterMs, 1_000), (error as Error).message);',
    to: 'throw error;',
    also: [KEEPS_ITS_TURN],
    needs: ['the list fails for hours'],
  },
  {
    name: 'starts no run again after a decision (fixed: seed 20034)',
    file: 'workflows/hold.ts',
    from: 'taken = recorded ?? taken;',
    to: ';',
  },
  {
    name: 'buys again what a recovered job has bought (fixed: focused seed 343)',
    file: 'src/ledger/plans/resubmission.ts',
    from: 'if (isBoughtByRecoveredJob(row))',
    to: 'if (row.id < 0)',
    needs: ['copy before a change'],
  },
  // Fixes of money findings, each with the sequence that shows it
  {
    name: 'sends batches that may not be sent again and again (fixed: money 3)',
    file: `${BATCHES}/begin-send.ts`,
    from: 'await setAside(tx, row, { notBefore: until, reason: refusal.reason });',
    to: 'await setAside(tx, row, { notBefore: null, reason: refusal.reason });',
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
    file: `${BATCHES}/begin-send.ts`,
    from: 'await withRunCap(tx, row, watch.spend),',
    to: 'watch.spend,',
    needs: ['run with a limit, then a rise'],
  },
  {
    name: 'approves by itself that all lastmods move (fixed: money 20)',
    file: `${SUBMISSION}/guard.ts`,
    from: 'if (changed >= FEWEST_CHANGED && exceeds(changed, maxChangedPercent)) {',
    to: 'if (changed < 0 && exceeds(changed, maxChangedPercent)) {',
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
  // Accounts, keys and services
  {
    name: 'sends to another service (fixed: money 5)',
    file: `${BATCHES}/begin-send.ts`,
    from: 'if (!isSameBaseUrl(recorded, account.baseUrl)) {',
    to: 'if (now < 0) {',
    also: [
      {
        file: 'src/connector/confirm-account.ts',
        from: 'const recorded = await findOtherService(ledger.db, account);\n  if (recorded === null) return;',
        to: 'const recorded = await findOtherService(ledger.db, account);\n  if (recorded?.length !== -1) return;',
      },
    ],
    needs: ['name another service'],
    kind: 'service',
  },
  {
    name: 'sends with the key of another account',
    file: 'src/connector/confirm-account.ts',
    from: "if (confirmed.kind === 'same') return;",
    to: 'if (confirmed.kind.length > 0) return;',
    needs: ['wrong key'],
    kind: 'service',
  },
];
