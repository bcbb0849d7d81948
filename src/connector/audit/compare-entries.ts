import { type Micros, micros } from '../../../contract/money.ts';
import type { BookedPurchase, PurchaseInDoubt } from '../../ledger/reports/audited-purchases.ts';
import { parseTag } from '../../submission/project-tag.ts';
import type { AuditEntry, AuditPeriod, EntryStatus, EntryWhy, Facts, ListedJob } from './audit.ts';
import { readShownCharge } from './shown-charge.ts';
import { sumOf } from './sum-of.ts';

/** Each purchase of the period beside its job, and each job of the period that has none. The oldest first. */
export function compareEntries(facts: Facts): AuditEntry[] {
  const jobs = createFinder(facts);
  const entries = [
    ...facts.booked.flatMap((purchase) => compareBooked(facts, purchase, jobs.find(purchase)) ?? []),
    ...facts.inDoubt.flatMap((doubt) => compareInDoubt(facts, doubt, jobs.find(doubt)) ?? []),
  ];
  // What was found for a purchase is no job of its own, whether or not the purchase is of the period.
  const others = jobs.listUnclaimed().filter(({ createdAt }) => createdAt === null || isIn(facts.period, createdAt));
  return [...entries, ...others.map((job) => toOnlyThere(facts, job))].sort((a, b) => a.at - b.at);
}

export const isIn = ({ from, until }: AuditPeriod, at: number): boolean => at >= from && at < until;

type Sought = Pick<BookedPurchase | PurchaseInDoubt, 'kind' | 'reference' | 'tag'>;

/** Finds the job of a purchase: by its reference, else by its tag, in the list and among those that were looked up. */
export function createFinder({ list, lookedUp }: Pick<Facts, 'list' | 'lookedUp'>) {
  const listed = list.kind === 'read' ? list.jobs : [];
  const byReference = new Map([...lookedUp.values(), ...listed].flatMap((job) => (job ? [[job.reference, job]] : [])));
  const byTag = new Map<string, ListedJob>();
  for (const job of listed) {
    const tag = parseTag(job.project ?? '');
    if (tag !== null) byTag.set(tag, job);
  }
  const claimed = new Set<ListedJob>();
  return {
    find({ kind, reference, tag }: Sought): ListedJob | null {
      if (kind === 'check') return null;
      const job = reference === null ? byTag.get(tag ?? '') : byReference.get(reference);
      if (job !== undefined) claimed.add(job);
      return job ?? null;
    },
    /** Listed jobs that no purchase has asked for by now. */
    listUnclaimed: (): readonly ListedJob[] => listed.filter((job) => !claimed.has(job)),
  };
}

/** Null: neither side has it in the period. */
function compareBooked(facts: Facts, purchase: BookedPurchase, job: ListedJob | null): AuditEntry | null {
  const { period } = facts;
  const { kind, id, watch, run, urls, reference, amount, counted, day, at } = purchase;
  const isHere = isIn(period, day);
  const isThere = job?.createdAt == null ? isHere : isIn(period, job.createdAt);
  if (!isHere && !isThere) return null;
  const service = job === null ? null : readShownCharge(job, purchase);
  const { status, why, difference } = judge(facts, purchase, { job, service });
  return {
    ...{ kind: kind === 'check' ? 'check' : 'submission', status, why, day, isOtherDay: isHere !== isThere },
    ...{ at: job?.createdAt ?? at, watch, run, id, reference: reference ?? job?.reference ?? null },
    ...{
      project: job?.project ?? null,
      state: job?.state ?? null,
      urls,
      journal: amount,
      counted,
      service,
      difference,
    },
  };
}

interface Judged {
  readonly status: EntryStatus;
  readonly why: EntryWhy | null;
  readonly difference: Micros | null;
}

const unsure = (status: EntryStatus, why: EntryWhy): Judged => ({ status, why, difference: null });

function judge(
  facts: Facts,
  purchase: BookedPurchase,
  { job, service }: { readonly job: ListedJob | null; readonly service: Micros | null },
): Judged {
  const { kind, bucket, amount, unpriced } = purchase;
  if (kind === 'check') return { status: 'by_balance', why: bucket === 'assumed' ? 'assumed' : null, difference: null };
  if (job === null) return judgeMissing(facts, purchase);
  if (service === null) return unsure('not_compared', unpriced > 0 ? 'charge_unknown' : 'no_charge_shown');
  const difference = micros(service - amount);
  if (difference === 0 && unpriced === 0) return { status: 'same', why: null, difference };
  const why = bucket === 'assumed' ? 'assumed' : difference < 0 ? 'refunded' : 'charged_more';
  return { status: 'differs', why, difference };
}

/** A purchase without its job. */
function judgeMissing({ list, lookedUp }: Facts, { reference, amount, at }: BookedPurchase): Judged {
  if (list.kind === 'not_read') return unsure('not_compared', 'list_not_read');
  if (reference === null) return unsure('only_here', 'left');
  if (!lookedUp.has(reference)) return unsure('not_compared', 'not_looked_up');
  const oldest = findOldest(list.jobs);
  if (oldest !== null && at < oldest) return unsure('not_compared', 'older_than_list');
  return { status: 'only_here', why: 'not_listed', difference: micros(0 - amount) };
}

/** When the oldest job of the list was created; null: it shows none, or no time. */
export function findOldest(jobs: readonly ListedJob[]): number | null {
  const times = jobs.flatMap(({ createdAt }) => createdAt ?? []);
  return times.length === 0 ? null : times.reduce((oldest, at) => Math.min(oldest, at));
}

/** Caps count it already; the journal gets it when its end is known. */
function compareInDoubt({ period }: Facts, doubt: PurchaseInDoubt, job: ListedJob | null): AuditEntry | null {
  const { kind, id, watch, run, urls, reference, amount, since } = doubt;
  const at = job?.createdAt ?? since;
  if (!isIn(period, at)) return null;
  const service = job === null ? null : readShownCharge(job, doubt);
  return {
    ...{
      kind: kind === 'check' ? 'check' : 'submission',
      status: job === null ? 'only_here' : 'differs',
      why: 'in_doubt',
    },
    ...{ day: null, isOtherDay: false, at, watch, run, id, reference: reference ?? job?.reference ?? null },
    ...{ project: job?.project ?? null, state: job?.state ?? null, urls, journal: null, counted: amount, service },
    difference: service,
  };
}

function toOnlyThere({ period, foreign, isOwnProject }: Facts, job: ListedJob): AuditEntry {
  const { reference, project, state, createdAt, urlCount: urls } = job;
  const isOurs = project !== null && (parseTag(project) !== null || isOwnProject(project));
  const why = foreign.has(reference) ? 'declared_foreign' : isOurs ? 'other_ledger' : 'other_program';
  const service = readShownCharge(job, null);
  return {
    ...{ kind: 'submission', status: 'only_there', why, day: null, isOtherDay: false, at: createdAt ?? period.from },
    ...{ watch: null, run: null, id: null, reference, project, state, urls, journal: null, counted: null, service },
    difference: service,
  };
}

/** What the journal has of these entries in the period. */
export const sumJournal = (period: AuditPeriod, entries: readonly AuditEntry[]): Micros =>
  sumOf(entries, ({ day, journal }) => (day !== null && isIn(period, day) ? journal : null));
