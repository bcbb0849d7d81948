import type { Report } from './breaches.ts';

/** What `courier why` says of a page that a sitemap of its watch lists now, and what is so. */
export interface Reported {
  readonly url: string;
  readonly watch: string;
  readonly standing: string;
  readonly why: string;
  /** A crawl that the ledger knows has listed it in this watch. */
  readonly isListed: boolean;
  /** Whoever of its account has bought it. */
  readonly isBought: boolean;
  /** The service has completed it, in any job. */
  readonly isCompleted: boolean;
  /** The service has failed it, or never takes it. */
  readonly isFailed: boolean;
  /** A job with it is open at the service. */
  readonly isOpen: boolean;
  /** It is bought as it is listed, and nothing has failed it. */
  readonly isDone: boolean;
  /** A run of its watch waits for a decision. */
  readonly isHeld: boolean;
  /** A batch with it needs review, or has not ended yet. */
  readonly isInReview: boolean;
  readonly isOnItsWay: boolean;
  /** A cap, a floor or a price may keep money back. */
  readonly mayLackMoney: boolean;
  /** Its watch had another name, or none, and has its name back. */
  readonly hasNameBack?: boolean;
}

/** What is said about a page is true. */
export function checkWhy(reported: Reported, report: Report): void {
  const { url, watch, standing, why, hasNameBack = false } = reported;
  const claim = getClaim(reported);
  if (claim !== null)
    report(`why says of ${url} that it is ${standing} (${why}), and ${claim}`, {
      ...{ url, watch, cause: hasNameBack ? `${standing}, its watch has its name back` : standing },
    });
}

/** What contradicts it; null: nothing does. */
function getClaim(reported: Reported): string | null {
  const { standing, why, isListed, isBought, isCompleted, isFailed, isOpen } = reported;
  switch (standing) {
    case 'not_listed':
    case 'gone':
      return isListed ? 'the crawl that is the last one has listed it' : null;
    case 'completed':
      return isCompleted ? null : 'the service has never completed it';
    case 'failed':
    case 'quarantined':
      return isFailed ? null : 'the service has never refused or failed it';
    case 'submitted':
      return isOpen ? null : 'no job with it is open';
    case 'due':
    case 'due_later':
      return reported.isDone ? 'it is bought as it is listed' : null;
    case 'held_by_guard':
      return reported.isHeld ? null : 'no run of its watch waits for a decision';
    case 'held_by_cap':
      return reported.mayLackMoney ? null : 'no cap, floor or price keeps money back';
    case 'needs_review':
      return reported.isInReview ? null : 'no batch with it needs review';
    case 'waiting':
      return reported.isOnItsWay ? null : 'no batch with it is planned or sent';
    default:
      return /bought (in|by|before)/.test(why) && !/not bought/.test(why) && !isBought ? 'nobody has bought it' : null;
  }
}

/** A page that waits beyond every bound is reported of: `status --check` does not say that nothing needs anybody. */
export function checkStatusSays(
  unbought: readonly { readonly url: string; readonly cause: string }[],
  problems: readonly string[],
  report: Report,
): void {
  if (problems.length > 0) return;
  for (const { url, cause } of unbought)
    report(`status --check says that nothing needs you, and ${url} has waited for days`, {
      ...{ url, cause: `status --check, of a page that ${cause}` },
    });
}
