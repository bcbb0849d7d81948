import type { ShownCharge } from '../faults.ts';
import type { Report } from './breaches.ts';

/** A submission or an index-check as the service has it. Money in micro-lira. */
export interface ServiceEntry {
  /** The reference of a job, or the key of a check. */
  readonly name: string;
  readonly account: string;
  readonly charged: number;
  readonly urls: number;
}

/** A charge as the ledger has it. */
export interface LedgerEntry {
  readonly name: string | null;
  readonly account: string;
  readonly amount: number;
  readonly urls: number;
  /** The service has said what it cost. */
  readonly isReported: boolean;
  readonly watch: string;
  readonly run: string | null;
  /** Since 1970. */
  readonly day: number;
}

/** How a job was bought, as the oracle has seen it. */
export interface Seen {
  readonly watch: string;
  readonly run: string | null;
  /** The days of its first attempt, and of its last or of the answer to it. */
  readonly firstDay: number;
  readonly lastDay: number;
}

export interface ChargesToCheck {
  readonly report: Report;
  readonly kind: 'batch' | 'check';
  readonly service: readonly ServiceEntry[];
  readonly ledger: readonly LedgerEntry[];
  /** Null: a copy of the ledger lacked it, and what the ledger knows is from the service's list. */
  readonly findSeen: (name: string) => Seen | null;
  /** How an answer has shown what a job cost; null: as the service has it. */
  readonly findShown: (name: string) => ShownCharge | null;
  /** What the ledger does not know yet, or never can: a check that a copy lacks, or one in flight. */
  readonly mayMiss: (name: string) => boolean;
  /** The least that a URL ever cost where lists show no charges and prices change; null: each amount must be known. */
  readonly guessedFrom: number | null;
}

/**
 * Each charge of the service is in the ledger once: with its account and amount, and with the watch, the run and a day of its
 * send. Where the service never says what a job cost, what the ledger takes for it is at least the lowest price there was.
 */
export function checkCharges(toCheck: ChargesToCheck): void {
  const { report, kind, service, ledger, findSeen, findShown, mayMiss } = toCheck;
  const least = Math.min(...service.map(({ charged, urls }) => charged / urls));
  const theirs = new Map(service.map((entry) => [entry.name, entry]));
  const known = new Set(ledger.map(({ name }) => name));
  for (const { name, charged, account } of service) {
    if (charged > 0 && !known.has(name) && !mayMiss(name))
      report(`the service charged ${charged} for ${name}, and the ledger has no charge of it`, {
        account,
        cause: `${kind} missing`,
      });
  }
  for (const entry of ledger) {
    const { name, account, amount, isReported, urls } = entry;
    const job = name === null ? undefined : theirs.get(name);
    if (job === undefined) {
      // A check without an answer counts as charged, and a batch in doubt that an operator has left.
      if (isReported || (kind === 'batch' && name !== null))
        report(`the ledger counts ${amount} for ${name}, which the service does not have`, {
          account,
          cause: `${kind} unknown`,
        });
      continue;
    }
    const about = { account, watch: entry.watch, beyond: amount - job.charged };
    if (job.account !== account) report(`${name} charged ${job.account}, and the ledger says ${account}`, about);
    const shown = findShown(name!);
    const guessedFrom = shown?.how === 'hidden' || shown?.how === 'in euros' ? least : toCheck.guessedFrom;
    // What is rounded is counted as it is shown.
    const charged = shown?.how === 'rounded' && amount === shown.amount ? amount : job.charged;
    if (guessedFrom !== null && !isReported) {
      if (amount < urls * guessedFrom)
        report(`the ledger counts ${amount} for ${name}, less than ${urls} URLs ever cost`, {
          ...about,
          cause: `${kind} guessed`,
        });
    } else if (charged !== amount)
      report(`the service charged ${job.charged} for ${name}, the ledger says ${amount}`, {
        ...about,
        cause: `${kind} amount${toMisread(shown, entry, job)}`,
      });
    const seen = findSeen(name!);
    if (seen !== null) checkPlace(entry, seen, report);
  }
}

function checkPlace({ name, watch, run, day, account }: LedgerEntry, seen: Seen, report: Report): void {
  const about = { account, watch };
  if (watch !== seen.watch)
    report(`${name} was bought for ${seen.watch}, and the ledger charges ${watch}`, { ...about, cause: 'watch' });
  if (run !== seen.run)
    report(`${name} was bought by ${seen.run}, and the ledger charges ${run}`, { ...about, cause: 'run' });
  if (day < seen.firstDay || day > seen.lastDay)
    report(`${name} was sent from day ${seen.firstDay} to ${seen.lastDay}, and the ledger charges day ${day}`, {
      ...about,
      cause: 'day',
    });
}

/** In which way a ledger has taken exactly what it was shown for something else; empty: in none. */
function toMisread(shown: ShownCharge | null, { amount }: LedgerEntry, { charged, urls }: ServiceEntry): string {
  if (shown?.how === 'total called price' && amount === charged * urls) return ', a total called a price';
  if (shown?.how === 'in euros' && amount === shown.amount) return ', euros';
  return '';
}
