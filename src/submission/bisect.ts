/** How the parts of a refused batch fared so far, counted in URLs. */
export interface Bisection {
  /** URLs of the original batch. */
  readonly urls: number;
  readonly accepted: number;
  /** URLs found bad one by one. */
  readonly quarantined: number;
}

/** So many single URLs refused, in a row and with none accepted: it is not the URLs. */
const SINGLES_BEFORE_DOUBT = 8;

/**
 * Whether splitting a refused batch still makes sense. A service that refuses everything (a suspended feature, a project
 * it does not like) would otherwise be asked twice for each URL and every URL would end in quarantine for nothing.
 * When the answer is no, the parts that are left stop and a person is told.
 */
export function worthBisecting({ urls, accepted, quarantined }: Bisection): boolean {
  return accepted > 0 || quarantined < Math.min(SINGLES_BEFORE_DOUBT, urls);
}
