import type { AuditEntry, AuditUnknown, EntryWhy, Facts, UnknownCode } from './audit.ts';
import type { ComparedWindow } from './compare-balance.ts';
import { findOldest } from './compare-entries.ts';
import { sumOf } from './sum-of.ts';

/** What an audit cannot know, each with its bounds: what is not named here was compared. */
export function listUnknowns(
  facts: Facts,
  entries: readonly AuditEntry[],
  windows: readonly ComparedWindow[],
): AuditUnknown[] {
  return [...listOfTheList(facts, entries), ...listOfPurchases(entries), ...listOfTheBalance(facts, windows)];
}

const unknown = (code: UnknownCode, more: Partial<AuditUnknown> = {}): AuditUnknown => ({
  ...{ code, from: null, until: null, entries: 0, amount: null, detail: null },
  ...more,
});

/** Null where there is none. */
function count(code: UnknownCode, entries: readonly AuditEntry[]): AuditUnknown[] {
  if (entries.length === 0) return [];
  const amount = sumOf(entries, ({ journal, counted, service }) => journal ?? counted ?? service);
  return [unknown(code, { entries: entries.length, amount })];
}

const having = (entries: readonly AuditEntry[], ...why: readonly EntryWhy[]) =>
  entries.filter((entry) => entry.why !== null && why.includes(entry.why));

function listOfTheList({ list }: Facts, entries: readonly AuditEntry[]): AuditUnknown[] {
  if (list.kind === 'not_read') {
    const left = having(entries, 'list_not_read');
    const [counted = unknown('list_not_read')] = count('list_not_read', left);
    return [{ ...counted, detail: list.why }];
  }
  const older = count('list_ends_early', having(entries, 'older_than_list'));
  const timeless = list.jobs.filter(({ createdAt }) => createdAt === null).length;
  return [
    ...older.map((each) => ({ ...each, until: findOldest(list.jobs) })),
    ...count(
      'charges_not_shown',
      entries.filter(
        (entry) => entry.why === 'no_charge_shown' || (entry.status === 'only_there' && entry.service === null),
      ),
    ),
    ...(timeless === 0 ? [] : [unknown('times_not_shown', { entries: timeless })]),
    ...count('not_looked_up', having(entries, 'not_looked_up')),
  ];
}

function listOfPurchases(entries: readonly AuditEntry[]): AuditUnknown[] {
  return [
    ...count(
      'checks_in_no_list',
      entries.filter(({ status }) => status === 'by_balance'),
    ),
    ...count('charge_unknown', having(entries, 'charge_unknown')),
    ...count('in_doubt', having(entries, 'in_doubt', 'left')),
  ];
}

function listOfTheBalance(
  { readings, period, balanceFailure }: Facts,
  windows: readonly ComparedWindow[],
): AuditUnknown[] {
  const failure = balanceFailure === null ? [] : [unknown('balance_not_read', { detail: balanceFailure })];
  const [first] = readings;
  const last = readings.at(-1);
  if (first === undefined || last === undefined || first === last)
    return [...failure, unknown('no_readings', { from: period.from, until: period.until })];
  return [
    ...failure,
    ...(first.at <= period.from ? [] : [unknown('before_first_reading', { from: period.from, until: first.at })]),
    ...(last.at >= period.until ? [] : [unknown('after_last_reading', { from: last.at, until: period.until })]),
    ...windows
      .filter(({ hasUnknown }) => hasUnknown)
      .map(({ from, until }) => unknown('balance_not_compared', { from, until })),
  ];
}
