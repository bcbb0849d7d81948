/** What the result data says of one URL. */
export interface Finding {
  /** null: unknown, because the provider gave no answer for this URL. It is not charged. */
  readonly found: boolean | null;
  /** Place in the result data, from 1; null when not found or not known. */
  readonly position: number | null;
  /** Why it is unknown, for the client. */
  readonly reason: string | null;
}

export const unknown = (reason: string): Finding => ({ found: null, position: null, reason });

/** Room at the provider for the queries of one check. */
export interface Reservation {
  /**
   * One finding per URL, in order; a URL that gets no answer is unknown and does not discard the others. Throws when
   * none gets one: the charge is then restored. Must end soon after `signal` is aborted.
   */
  check(urls: readonly string[], signal: AbortSignal): Promise<readonly Finding[]>;
  /** Gives the room back: there will be no check. */
  release(): void;
}

/** Where URLs are looked up. A plug-in: add one in providers.ts. */
export interface IndexCheckProvider {
  readonly name: string;
  /** Why the provider can never answer for this URL, or null. Asked before the charge: such a URL is not charged. */
  findProblem(url: string): string | null;
  /**
   * Reserves a number of queries, to be answered within a number of milliseconds. Throws a CheckUnavailableError when others
   * have taken that room: nothing is charged.
   */
  reserve(queries: number, withinMs: number): Reservation;
}

/** The check was not carried out; the account was not charged, or has its money back. */
export class CheckUnavailableError extends Error {
  override readonly name = 'CheckUnavailableError';
  readonly retryAfterSeconds: number;

  constructor(
    message: string,
    { retryAfterSeconds = 10, cause }: { retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
