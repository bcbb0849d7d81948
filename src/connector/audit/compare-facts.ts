import { micros, negateMicros, sumMicros } from '../../../contract/money.ts';
import { type Audit, type AuditEntry, type AuditTotals, type AuditWindow, type Facts, isExplained } from './audit.ts';
import { compareBalance } from './compare-balance.ts';
import { compareEntries, sumJournal } from './compare-entries.ts';
import { listUnknowns } from './list-unknowns.ts';
import { sumOf } from './sum-of.ts';

/** The journal of an account beside the list and the balance of its service: what differs, why, and what nothing explains. */
export function compareFacts(facts: Facts): Audit {
  const { account, period, readings } = facts;
  const entries = compareEntries(facts);
  const compared = compareBalance(facts);
  const windows = compared
    .filter(({ external }) => external !== 0)
    .map(({ hasUnknown: _, notCharged: __, ...window }) => window);
  const [first, last] = [readings[0], readings.at(-1)];
  return {
    ...{ account, period, entries, windows },
    balance:
      first === undefined || last === undefined || first === last
        ? null
        : { from: first.at, until: last.at, before: first.amount, after: last.amount },
    unknowns: listUnknowns(facts, entries, compared),
    totals: { ...sumUp(facts, entries, windows), notCharged: sumOf(compared, ({ notCharged }) => notCharged) },
  };
}

/** An entry that differs, and nothing says why. */
export const isQuestion = ({ difference, why }: AuditEntry): boolean =>
  difference !== null && difference !== 0 && !isExplained(why);

function sumUp(
  { period }: Facts,
  entries: readonly AuditEntry[],
  windows: readonly AuditWindow[],
): Omit<AuditTotals, 'notCharged'> {
  const journal = sumJournal(period, entries);
  const differences = entries.filter(({ difference }) => difference !== null && difference !== 0);
  const sum = (some: readonly AuditEntry[]) => sumOf(some, ({ difference }) => difference);
  const spent = windows.filter(({ external }) => external > 0);
  const externalSpent = sumOf(spent, ({ external }) => external);
  const questions = differences.filter(isQuestion);
  const notExplained = sumMicros(sum(questions), externalSpent);
  const explained = sum(differences.filter((entry) => !isQuestion(entry)));
  const difference = micros(explained + notExplained);
  return {
    same: entries.filter(({ status }) => status === 'same').length,
    journal,
    checks: sumJournal(
      period,
      entries.filter(({ kind }) => kind === 'check'),
    ),
    inDoubt: sumOf(
      entries.filter(({ why }) => why === 'in_doubt'),
      ({ counted }) => counted,
    ),
    service: micros(journal + difference),
    ...{ difference, explained, notExplained, questions: questions.length + spent.length },
    notCompared: sumJournal(
      period,
      entries.filter(({ status, why }) => status === 'not_compared' || why === 'left'),
    ),
    externalSpent,
    externalReceived: negateMicros(
      sumOf(
        windows.filter(({ external }) => external < 0),
        ({ external }) => external,
      ),
    ),
  };
}
