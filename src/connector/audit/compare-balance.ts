import { type Micros, micros } from '../../../contract/money.ts';
import type { BalanceReading } from '../../ledger/money/balance-readings.ts';
import type { BookedPurchase } from '../../ledger/reports/audited-purchases.ts';
import type { AuditWindow, Facts } from './audit.ts';
import { createFinder } from './compare-entries.ts';
import { readShownCharge } from './shown-charge.ts';

/** A window and what is known of the money in it. */
export interface ComparedWindow extends AuditWindow {
  /** Something in it has a charge that nobody knows: a fall proves nothing. */
  readonly hasUnknown: boolean;
  /** What the journal only assumes, and the balance did not lose. */
  readonly notCharged: Micros;
}

interface Draft {
  readonly start: BalanceReading;
  readonly end: BalanceReading;
  journal: number;
  others: number;
  /** Of what is in `journal`: may not have been charged. */
  unsure: number;
  hasUnknown: boolean;
}

/** A service may show its times to the minute only. */
const REPLAY_MS = 90_000;

/** How far a service's clock may be from ours: a job this close to a reading belongs to the window that it explains. */
const CLOCKS_MS = 600_000;

/**
 * What the balance did from one reading to the next, beside what purchases and the listed jobs of others cost meanwhile. A purchase
 * that this ledger sent is placed by its entry in the journal, whatever the clocks say; others by the time of their job.
 */
export function compareBalance(facts: Facts): ComparedWindow[] {
  const { readings } = facts;
  const windows = readings.flatMap((start, at): Draft[] => {
    const end = readings[at + 1];
    return end === undefined ? [] : [{ start, end, journal: 0, others: 0, unsure: 0, hasUnknown: false }];
  });
  if (windows.length === 0) return [];
  const jobs = createFinder(facts);
  const ahead = findClockAhead(facts, jobs.find);
  const late: { readonly at: number; readonly cost: Cost; readonly booked: Draft | undefined }[] = [];
  for (const purchase of facts.booked) {
    const job = jobs.find(purchase);
    const cost = toCost(purchase, job === null ? null : readShownCharge(job, purchase));
    const createdAt = job?.createdAt == null ? null : job.createdAt - ahead;
    const { entry, at } = purchase;
    const window = windows.find(({ start, end }) => entry > start.journalId && entry <= end.journalId);
    const begin = window?.start.at ?? readings.at(-1)?.at ?? at;
    // Sent again by a copy of the ledger that came back, and charged before; or a host's clock was ahead of the service's.
    const isReplay = createdAt !== null && createdAt < begin - REPLAY_MS;
    if (purchase.wasSent && !isReplay) add(window, cost);
    else late.push({ at: createdAt ?? at, cost, booked: purchase.wasSent ? window : undefined });
  }
  for (const doubt of facts.inDoubt) jobs.find(doubt);
  for (const { at, cost, booked } of late) add(choose(windows, at, cost.amount, booked), cost);
  for (const job of jobs.listUnclaimed()) {
    if (job.createdAt === null) continue;
    const charge = readShownCharge(job, null);
    const at = job.createdAt - ahead;
    if (charge === null) for (const window of listNear(windows, at)) window.hasUnknown = true;
    else addOthers(choose(windows, at, charge), charge);
  }
  return windows.map(toWindow);
}

/** Time zones differ by quarters of an hour; a time may be shown to the minute. */
const ZONES_MS = 900_000;
const ZONE_SLACK_MS = 120_000;

/**
 * By how much the times of the list are ahead of ours, by the jobs of purchases that were sent: a service may show the time of its
 * own zone without saying so. The median, because an answer that was lost is booked much later than its job.
 */
function findClockAhead({ booked }: Facts, find: ReturnType<typeof createFinder>['find']): number {
  const differences = booked
    .flatMap((purchase) => {
      const createdAt = purchase.wasSent ? find(purchase)?.createdAt : null;
      return createdAt == null ? [] : [createdAt - purchase.at];
    })
    .sort((a, b) => a - b);
  const median = differences[Math.floor(differences.length / 2)] ?? 0;
  const zone = Math.round(median / ZONES_MS) * ZONES_MS;
  return Math.abs(median - zone) < ZONE_SLACK_MS ? zone : 0;
}

interface Cost {
  readonly amount: number;
  readonly isSure: boolean;
  readonly isKnown: boolean;
}

/**
 * What a purchase took from the balance when it was made. A charge that the service shows lower by now was given back later: the
 * balance rose then.
 */
function toCost({ bucket, amount, unpriced }: BookedPurchase, shown: Micros | null): Cost {
  if (bucket === 'charged') return { amount: Math.max(amount, shown ?? 0), isSure: true, isKnown: true };
  return { amount: shown ?? amount, isSure: shown !== null, isKnown: shown !== null || unpriced === 0 };
}

function add(window: Draft | undefined, { amount, isSure, isKnown }: Cost): void {
  if (window === undefined) return;
  window.journal += amount;
  if (!isSure) window.unsure += amount;
  if (!isKnown) window.hasUnknown = true;
}

function addOthers(window: Draft | undefined, charge: Micros): void {
  if (window !== undefined) window.others += charge;
}

const getRest = ({ start, end, journal, others }: Draft): number => start.amount - end.amount - journal - others;

const listNear = (windows: readonly Draft[], at: number): Draft[] =>
  windows.filter(({ start, end }) => at > start.at - CLOCKS_MS && at <= end.at + CLOCKS_MS);

/**
 * The window of a time. A neighbour whose reading is as close as clocks differ, or the one in which it was booked, is taken in its
 * place when more is explained then.
 */
function choose(windows: readonly Draft[], at: number, amount: number, booked?: Draft): Draft | undefined {
  const gain = (window: Draft) => Math.abs(getRest(window)) - Math.abs(getRest(window) - amount);
  const isInside = ({ start, end }: Draft) => at > start.at && at <= end.at;
  const near = new Set([...listNear(windows, at), ...(booked === undefined ? [] : [booked])]);
  return [...near]
    .filter((window) => isInside(window) || gain(window) > 0)
    .toSorted((a, b) => gain(b) - gain(a) || Number(isInside(b)) - Number(isInside(a)))[0];
}

/** A service may show its balance rounded, to the kuruş at most, and charge exactly. */
const isRounded = ({ start, end }: Draft, rest: number): boolean =>
  ROUNDED_TO.some((unit) => Math.abs(rest) < unit && (start.amount % unit === 0 || end.amount % unit === 0));

const ROUNDED_TO = [100, 1_000, 10_000];

function toWindow(draft: Draft): ComparedWindow {
  const { start, end, journal, others, unsure, hasUnknown } = draft;
  const rest = getRest(draft);
  // What was only assumed was not charged, as far as the balance shows.
  const isNotCharged = rest < 0 && rest >= -unsure;
  const external = isNotCharged || (hasUnknown && rest > 0) || isRounded(draft, rest) ? 0 : rest;
  return {
    ...{ from: start.at, until: end.since, before: start.amount, after: end.amount },
    ...{ journal: micros(journal), others: micros(others), external: micros(external), hasUnknown },
    notCharged: micros(isNotCharged ? -rest : 0),
  };
}
