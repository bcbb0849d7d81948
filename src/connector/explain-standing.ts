import type { Watch } from '../config/config.ts';
import type { HeldRun } from '../ledger/reports/held-runs.ts';
import type { BatchLine } from '../ledger/reports/lists.ts';
import type { Purchase, UrlHistory } from '../ledger/reports/url-history.ts';
import { formatInstant } from '../submission/instant.ts';
import { renderReason } from '../submission/reason.ts';
import type { ScopeExplanation } from '../url/explain-scope.ts';
import { findNextCheck } from './next-check.ts';

/** Where a URL stands, by what decides over its next purchase. */
export const STANDINGS = [
  'out_of_scope',
  'not_listed',
  'gone',
  'not_due',
  'due',
  'due_later',
  'held_by_guard',
  'held_by_cap',
  'waiting',
  'needs_review',
  'submitted',
  'completed',
  'failed',
  'quarantined',
  'no_watch',
] as const;

export interface Standing {
  readonly standing: (typeof STANDINGS)[number];
  /** Why it was bought, or was not. */
  readonly why: string;
  /** What happens next, or what you can do. */
  readonly next: string;
  /** When; null when at no known time. */
  readonly nextAt: number | null;
}

export interface StandingFacts {
  readonly watch: Watch;
  readonly scope: ScopeExplanation;
  readonly history: UrlHistory | null;
  /** The batch of its last purchase. */
  readonly batch: BatchLine | null;
  /** What of the answer for that batch could not be read; null when all was. */
  readonly unread: string | null;
  /** A run of the watch that waits for a decision. */
  readonly held: HeldRun | null;
  /** Why the account sends nothing; null when it does. */
  readonly accountReason: string | null;
  /** When the sitemaps were last read; null before the first run. */
  readonly lastReadAt: number | null;
  readonly nextRunAt: number | null;
  readonly now: number;
}

/** Explains a URL from what the ledger and the configuration say of it. Pure. */
export function explainStanding(facts: StandingFacts): Standing {
  const { history, scope } = facts;
  if (history === null) return explainUnseen(facts);
  const purchase = history.purchases.at(-1) ?? null;
  switch (history.state) {
    case 'planned':
      return explainPlanned(facts, purchase);
    case 'submitted':
      return {
        standing: 'submitted',
        why: `bought in job ${purchase?.reference ?? 'without a reference'}; the service has not reported its result (${purchase?.jobState ?? 'no state yet'})`,
        next: 'its job is polled until it ends',
        nextAt: null,
      };
    case 'quarantined':
      return {
        standing: 'quarantined',
        why: `in quarantine: ${history.reason ?? 'no reason was recorded'}`,
        next: `not bought again until you release it: courier quarantine release ${history.watch} ${history.url}`,
        nextAt: null,
      };
    default:
  }
  if (!scope.inScope) {
    const why = `the configuration leaves it out now (${scope.rule})${purchase === null ? '; it was not bought' : '; it was bought before'}`;
    return { standing: 'out_of_scope', why, next: 'not bought while the rule stands', nextAt: null };
  }
  if (history.forgottenAt !== null) {
    return {
      standing: 'gone',
      why: `in no sitemap; the ledger forgot its address on ${formatInstant(history.forgottenAt)}${purchase === null ? '; it was not bought' : '; it was bought before'}`,
      next: 'recognized when a sitemap lists it again, and then bought only as any page that was bought before',
      nextAt: null,
    };
  }
  if (history.goneRun !== null) {
    const why = `in no sitemap of the watch since ${history.goneRun}${purchase === null ? '; it was not bought' : '; it was bought before'}`;
    return { standing: 'gone', why, next: 'not bought again unless a sitemap lists it again', nextAt: null };
  }
  return history.due === null ? explainSettled(facts, history, purchase) : explainDue(facts, history);
}

function explainUnseen({ watch, scope, lastReadAt, nextRunAt }: StandingFacts): Standing {
  if (!scope.inScope) {
    return {
      standing: 'out_of_scope',
      why: `out of scope: ${scope.rule}. It is skipped and never bought`,
      next: `to have it bought, change hosts, include or exclude of ${watch.id}`,
      nextAt: null,
    };
  }
  if (lastReadAt === null)
    return {
      standing: 'not_listed',
      why: 'in scope; the watch has not run yet',
      next: describeRun(nextRunAt),
      nextAt: nextRunAt,
    };
  return {
    standing: 'not_listed',
    why: 'in scope, and no sitemap of the watch listed it when they were last read',
    next: `bought once a sitemap lists it; ${describeRun(nextRunAt)}`,
    nextAt: nextRunAt,
  };
}

function explainPlanned({ batch, accountReason, nextRunAt }: StandingFacts, purchase: Purchase | null): Standing {
  const number = purchase?.batch ?? 0;
  if (purchase?.batchState === 'needs_review') {
    return {
      standing: 'needs_review',
      why: `batch ${number} needs review: ${purchase.batchReason ?? 'no reason was recorded'}. Nothing more of it is sent`,
      next: `decide: courier batches resolve ${number}`,
      nextAt: null,
    };
  }
  const inDoubt = batch?.inDoubtSince !== null && batch !== null;
  const reason = purchase?.batchReason ?? accountReason;
  const waits = reason === null ? 'it waits for its turn' : `it waits: ${reason}`;
  return {
    standing: 'waiting',
    why: inDoubt
      ? `in batch ${number}, which was sent without a response: whether it was charged is not known yet (${reason ?? 'it is sent again with the same key'})`
      : `in batch ${number}; ${waits}`,
    next: batch?.notBefore === null || batch === null ? `sent by the worker, or by the next run` : 'sent again then',
    nextAt: batch?.notBefore ?? (reason === null ? null : nextRunAt),
  };
}

function explainSettled(
  { watch, unread, nextRunAt }: StandingFacts,
  history: UrlHistory,
  purchase: Purchase | null,
): Standing {
  const again = watch.resubmit.onLastmodChange
    ? 'bought again when its lastmod changes'
    : 'not bought again: resubmit.on_lastmod_change is off';
  if (history.state === 'completed') {
    const check = findCheck(watch, history);
    return {
      standing: 'completed',
      why: `bought in job ${purchase?.reference ?? '(recovered)'} and completed`,
      next: check.at === null ? `${again}${check.text}` : `its next index check; ${again}`,
      nextAt: check.at,
    };
  }
  if (history.reason === renderReason({ code: 'quarantined_by_other_watch' })) {
    return {
      standing: 'quarantined',
      why: `not bought: ${history.reason}`,
      next: 'not bought until you release it in the watch that has it in quarantine, and which "courier why" shows too',
      nextAt: null,
    };
  }
  if (purchase !== null)
    return {
      standing: history.purchases.some(({ result }) => result === 'completed') ? 'completed' : 'not_due',
      why: `${history.reason ?? `bought in ${purchase.reference ?? `batch ${purchase.batch}`}`}${unread === null ? '' : `: ${unread}`}`,
      next: again,
      nextAt: null,
    };
  if (history.reason === renderReason({ code: 'baseline' })) {
    return {
      standing: 'not_due',
      why: 'not bought: it was in the sitemaps before the watch began, and first_run: baseline adopts such URLs',
      next: watch.resubmit.onLastmodChange
        ? `bought when its lastmod changes; ${describeRun(nextRunAt)}`
        : 'not bought by itself: resubmit.on_lastmod_change is off',
      nextAt: null,
    };
  }
  return {
    standing: 'not_due',
    why: `not bought: ${history.reason ?? 'nothing makes it due'}`,
    next: again,
    nextAt: null,
  };
}

function findCheck(watch: Watch, { url, goneRun, nextCheckAt }: UrlHistory): { at: number | null; text: string } {
  const { at, why } = findNextCheck(watch, { url, gone: goneRun !== null, nextCheckAt });
  return { at, text: why === null || watch.indexCheck === null ? '' : `; ${why}` };
}

const WHY_DUE: Readonly<Record<NonNullable<UrlHistory['due']>, string>> = {
  new: 'new',
  changed: 'its lastmod changed',
  retry: 'it failed before',
  'not-found': 'the index checks never found it',
  released: 'you released it',
};

function explainDue({ held, now, nextRunAt, accountReason }: StandingFacts, history: UrlHistory): Standing {
  const because = WHY_DUE[history.due ?? 'new'];
  if (history.dueAt !== null && history.dueAt > now) {
    const failed =
      history.state === 'failed'
        ? `failed ${history.failures} times (${history.reason ?? 'no reason was reported'})`
        : because;
    return {
      standing: history.state === 'failed' ? 'failed' : 'due_later',
      why: `${failed}; it is due again, but not yet`,
      next: 'bought by the first run from then on',
      nextAt: history.dueAt,
    };
  }
  if (held !== null) {
    return {
      standing: 'held_by_guard',
      why: `due (${because}), and a guard holds ${held.run}: ${held.reasons.map(renderReason).join('; ')}`,
      next: `decide: courier approve ${held.run}   or   courier reject ${held.run}`,
      nextAt: null,
    };
  }
  if (history.state === 'held' && history.reason !== null && history.due !== 'released') {
    const why = `due (${because}), and held: ${history.reason}`;
    return {
      standing: 'held_by_cap',
      why,
      next: `planned by the first run that may spend it; ${describeRun(nextRunAt)}`,
      nextAt: nextRunAt,
    };
  }
  const blocked = accountReason === null ? '' : `; the account sends nothing: ${accountReason}`;
  return {
    standing: 'due',
    why: `due (${because}), and no run has planned it since${blocked}`,
    next: describeRun(nextRunAt),
    nextAt: nextRunAt,
  };
}

const describeRun = (at: number | null): string =>
  at === null ? 'the watch has no schedule: start "courier run"' : 'the next run of the watch';
