import type { AccountId, Reference } from '../src/submission/ids.ts';

/** A job that the service has accepted, and the idempotency key of its batch. */
export interface AcceptedJob {
  readonly reference: Reference;
  readonly key: string;
}

/** The service's list shows older ones by now. */
const KEEP_MS = 3_600_000;
/** Kept of an account: the newest, because they are what an old copy of the ledger lacks. */
const MOST = 200;

/** The last jobs of each account that this process saw accepted: the ledger must know them. */
export class AcceptedJobs {
  readonly #jobs = new Map<AccountId, (AcceptedJob & { readonly at: number })[]>();

  /** The last one stays, however old it is. */
  list(account: AccountId, now: number): readonly AcceptedJob[] {
    const jobs = this.#jobs.get(account) ?? [];
    while (jobs.length > MOST || (jobs.length > 1 && now - (jobs[0]?.at ?? now) > KEEP_MS)) jobs.shift();
    return jobs;
  }

  add(account: AccountId, job: AcceptedJob, at: number): void {
    const others = (this.#jobs.get(account) ?? []).filter(({ reference }) => reference !== job.reference);
    this.#jobs.set(account, [...others, { ...job, at }]);
  }

  /** The ledger has decided that the job is not its own. */
  remove(account: AccountId, reference: Reference): void {
    this.#jobs.set(
      account,
      (this.#jobs.get(account) ?? []).filter((job) => job.reference !== reference),
    );
  }
}
