import type { ShownCharge } from '../faults.ts';
import type { Report } from './breaches.ts';

/** A submission or an index-check as the service has it. Money in micro-lira. */
export interface ServiceEntry {
  /** The reference of a job, or the key of a check. */
  readonly name: string;
  readonly key: string;
  readonly account: string;
  readonly charged: number;
  readonly urls: number;
}

/** A charge as the ledger has it. */
export interface LedgerEntry {
  readonly name: string | null;
  /** The key under which it was sent; null: it never was. */
  readonly key: string | null;
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
  /** Whether it may count as charged, by its key, although nobody knows: an operator has left it, or a check has no answer. */
  readonly mayAssume: (key: string) => boolean;
  /** Lists show no charges, and prices change: an amount that nobody has reported is guessed. */
  readonly isGuessed: boolean;
  /** What a URL ever cost, at least and at most: between them lies every guess. */
  readonly priceRange: readonly [number, number];
}

/**
 * Each charge of the service is in the ledger once: with its account and amount, and with the watch, the run and a day of its
 * send. Where the service never says what a job cost, what the ledger takes for it lies between the lowest and the highest price
 * there was. What the service does not have counts only where an operator has left it, or a check had no answer.
 */
export function checkCharges(toCheck: ChargesToCheck): void {
  const { report, kind, service, ledger, findSeen, findShown, mayMiss, mayAssume, isGuessed, priceRange } = toCheck;
  const theirs = new Map(service.flatMap((entry) => [entry.name, entry.key].map((name) => [name, entry] as const)));
  const find = ({ name, key }: LedgerEntry) => theirs.get(name ?? key ?? '');
  const known = new Set(ledger.map((entry) => find(entry)?.name));
  for (const { name, charged, account } of service) {
    if (charged > 0 && !known.has(name) && !mayMiss(name))
      report(`the service charged ${charged} for ${name}, and the ledger has no charge of it`, {
        account,
        cause: `${kind} missing`,
      });
  }
  const [least, most] = priceRange;
  const isPlausible = ({ amount, urls }: LedgerEntry) => amount >= urls * least && amount <= urls * most;
  for (const entry of ledger) {
    const { name, key, account, amount, isReported, urls } = entry;
    const job = find(entry);
    const isAssumed = !isReported && (kind === 'check' || name === null) && key !== null && mayAssume(key);
    if (job === undefined && !isAssumed) {
      report(`the ledger counts ${amount} for ${name ?? key}, which the service does not have`, {
        account,
        cause: `${kind} unknown`,
      });
      continue;
    }
    const what = job?.name ?? key!;
    const about = { account, watch: entry.watch, beyond: amount - (job?.charged ?? 0) };
    if (job !== undefined && job.account !== account)
      report(`${what} charged ${job.account}, and the ledger says ${account}`, about);
    const shown = findShown(what);
    const mayGuess = isGuessed || isAssumed || shown?.how === 'hidden' || shown?.how === 'in euros';
    // What is rounded is counted as it is shown.
    const charged = shown?.how === 'rounded' && amount === shown.amount ? amount : job?.charged;
    if (mayGuess && !isReported) {
      if (!isPlausible(entry))
        report(`the ledger counts ${amount} for ${what}, and ${urls} URLs never cost that`, {
          ...about,
          cause: `${kind} guessed`,
        });
    } else if (charged !== amount)
      report(`the service charged ${job?.charged} for ${what}, the ledger says ${amount}`, {
        ...about,
        cause: `${kind} amount`,
      });
    const seen = findSeen(what);
    if (seen !== null) checkPlace(entry, seen, report);
  }
}

function checkPlace({ name: reference, key, watch, run, day, account }: LedgerEntry, seen: Seen, report: Report): void {
  const about = { account, watch };
  const name = reference ?? key;
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
