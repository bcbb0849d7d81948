/** What the result data said of one URL. */
export interface Finding {
  readonly found: boolean;
  /** Place in the result data, from 1; null when not found or not known. */
  readonly position: number | null;
}

/** Where URLs are looked up. A plug-in: add one in providers.ts. */
export interface IndexCheckProvider {
  readonly name: string;
  /**
   * One finding per URL, in order. Throws when the check cannot be carried out: the charge is then restored. Must end
   * soon after `signal` is aborted.
   */
  check(urls: readonly string[], signal: AbortSignal): Promise<readonly Finding[]>;
}

/** The check could not be carried out; the account was not charged, or has its money back. */
export class CheckUnavailableError extends Error {
  override readonly name = 'CheckUnavailableError';
}
