import type { Micros } from '../../../contract/money.ts';
import type { Account, Watch } from '../../config/config.ts';
import { listProjects } from '../../ledger/jobs/history-hold.ts';
import { type BalanceReading, findQuietEntry, listReadings } from '../../ledger/money/balance-readings.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import {
  type BookedScope,
  listBooked,
  listBookedJobs,
  listForeign,
  listInDoubt,
} from '../../ledger/reports/audited-purchases.ts';
import type { Reference } from '../../submission/ids.ts';
import { isProjectOf } from '../../submission/project-tag.ts';
import type { AuditPeriod, Facts, JobList } from './audit.ts';

const DAY_MS = 86_400_000;

/** A balance that was asked for now; it is not recorded. */
export interface BalanceNow {
  readonly amount: Micros;
  readonly at: number;
}

/** What the ledger has of an account beside what its service shows. Reads the list first: what comes later is in the ledger. */
export interface LedgerFactsSettings {
  readonly ledger: Ledger;
  readonly account: Pick<Account, 'id'>;
  readonly watches: readonly Pick<Watch, 'account' | 'project'>[];
  readonly period: AuditPeriod;
  readonly list: JobList;
  readonly balance: BalanceNow | null;
  readonly balanceFailure: string | null;
}

/** Everything but the jobs that are to be looked up. Writes nothing. */
export async function readLedgerFacts(settings: LedgerFactsSettings): Promise<Facts> {
  const { ledger, account, watches, period, list, balance, balanceFailure } = settings;
  const { db } = ledger;
  const { id } = account;
  const readings = await listReadings(db, id, period);
  const journalId = balance === null || balance.at >= period.until ? null : await findQuietEntry(db, id, balance.at);
  if (balance !== null && journalId !== null)
    readings.push({ since: balance.at, at: balance.at, amount: balance.amount, journalId });
  const booked = await listBooked(db, id, toScope(period, readings));
  const known = new Set(booked.map(({ reference }) => reference));
  const references = list.kind === 'read' ? list.jobs.map(({ reference }) => reference) : [];
  const others = references.filter((reference) => !known.has(reference));
  const projects = [
    ...(await listProjects(ledger, id)),
    ...watches.filter((watch) => watch.account === id).map(({ project }) => project),
  ];
  return {
    ...{ account: id, period, list, readings, balanceFailure, lookedUp: new Map() },
    booked: [...booked, ...(await listBookedJobs(db, id, others))],
    inDoubt: await listInDoubt(db, id),
    foreign: await listForeign(db, id, others),
    isOwnProject: (reported) => projects.some((project) => isProjectOf(project, reported)),
  };
}

/** A charge counts on the day of its send, which may be the one before it was booked under another clock. */
function toScope({ from, until }: AuditPeriod, readings: readonly BalanceReading[]): BookedScope {
  const [first] = readings;
  const last = readings.at(-1);
  return {
    since: Math.min(from, first?.at ?? from) - DAY_MS,
    ...{ from, until },
    entries: first === undefined || last === undefined ? [0, 0] : [first.journalId, last.journalId],
  };
}

/** Jobs of booked purchases that the list lacks. */
export function listMissing({ list, booked }: Pick<Facts, 'list' | 'booked'>): Reference[] {
  if (list.kind === 'not_read') return [];
  const listed = new Set(list.jobs.map(({ reference }) => reference));
  return booked.flatMap(({ reference }) => (reference === null || listed.has(reference) ? [] : [reference]));
}
