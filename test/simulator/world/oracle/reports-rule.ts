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
function getClaim({ standing, why, isListed, isBought, isCompleted, isFailed, isOpen }: Reported): string | null {
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
