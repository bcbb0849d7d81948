import { formatTry, type Micros, negateMicros } from '../../../contract/money.ts';
import type { Audit, AuditEntry, AuditUnknown, AuditWindow } from '../../connector/audit/audit.ts';
import { formatDay, formatInstant } from '../../submission/instant.ts';
import { describeUnknown, STATUS_WORDS, WHY_WORDS } from './audit-words.ts';
import { formatCounted, NOT_KNOWN } from './format.ts';

const DAY_MS = 86_400_000;

/** An audit for whoever pays: totals, what differs, what the balance shows beyond, what cannot be known. `all`: each entry. */
export function listAuditLines(audit: Audit, all: boolean): string[] {
  const { account, period, entries, windows, unknowns } = audit;
  const shown = entries.filter(
    ({ status, why }) => all || (status !== 'same' && (status !== 'by_balance' || why !== null)),
  );
  const title = all ? 'Each entry:' : 'What is not the same on both sides:';
  return [
    `${account}: ${formatDay(period.from)} to ${formatDay(period.until - DAY_MS)}. Days are in UTC.`,
    ...indent(listTotals(audit)),
    ...section(title, shown.map(formatEntry)),
    ...section('What the balance did beyond:', windows.map(formatWindow)),
    ...section('What cannot be known:', unknowns.map(formatUnknown)),
  ];
}

const indent = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);
const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`  ${title}`, ...indent(indent(lines))];

function listTotals({ totals, entries, balance }: Audit): string[] {
  const { journal, checks, inDoubt, service, difference, explained, notExplained, questions, notCompared } = totals;
  const { same } = totals;
  const verdict = questions === 0 ? 'Nothing is left unexplained.' : `${formatCounted(questions, 'question')} left.`;
  return [
    `Journal ${formatTry(journal)}${checks === 0 ? '' : `, of it index checks ${formatTry(checks)}`}; service ${formatTry(service)}; ` +
      `difference ${formatTry(difference)}: ${formatTry(explained)} explained, ${formatTry(notExplained)} not explained. ${verdict}`,
    `${formatCounted(same, 'purchase')} of ${formatCounted(entries.length, 'entry', 'entries')} ${same === 1 ? 'is' : 'are'} the same on both sides.`,
    ...(inDoubt === 0 ? [] : [`In doubt, and counted by the caps: ${formatTry(inDoubt)}.`]),
    ...(notCompared === 0 ? [] : [`Could not be compared: ${formatTry(notCompared)}.`]),
    ...(balance === null
      ? []
      : [
          `Balance ${formatTry(balance.before)} at ${formatInstant(balance.from)}, ${formatTry(balance.after)} at ` +
            `${formatInstant(balance.until)}${formatExternal(totals)}.`,
        ]),
  ];
}

function formatExternal({ externalSpent: spent, externalReceived: received, notCharged }: Audit['totals']): string {
  const parts = [
    ...(spent === 0 ? [] : [`${formatTry(spent)} was spent by nothing that is known`]),
    ...(received === 0 ? [] : [`${formatTry(received)} was topped up or given back`]),
    ...(notCharged === 0 ? [] : [`${formatTry(notCharged)} that the journal assumes was not charged`]),
  ];
  return parts.length === 0 ? ': all of it is explained' : `: ${parts.join(', ')}`;
}

const orNone = (amount: Micros | null): string => (amount === null ? NOT_KNOWN : formatTry(amount));

/** "2026-01-31 04:30 UTC  amount differs  batch 7, sub_1, 12 URLs: journal 3.00 TRY, service 2.00 TRY (…)". */
export function formatEntry(entry: AuditEntry): string {
  const { at, status, kind, id, reference, urls, watch, run, project, journal, counted, service, why } = entry;
  const what = [
    ...(id === null ? [] : [`${kind === 'check' ? 'index check' : 'batch'} ${id}`]),
    ...(reference === null ? [] : [reference]),
    ...(watch === null ? [] : [watch]),
    ...(run === null ? [] : [run]),
    ...(watch === null && project !== null ? [`project ${project}`] : []),
    ...(urls === null ? [] : [formatCounted(urls, 'URL')]),
  ];
  const here = journal ?? counted;
  const amounts = [
    ...(here === null ? [] : [`${journal === null ? 'may cost' : 'journal'} ${formatTry(here)}`]),
    ...(journal === null || counted === null || counted === journal ? [] : [`caps count ${formatTry(counted)}`]),
    ...(kind === 'check' || status === 'only_here' ? [] : [`service ${orNone(service)}`]),
  ];
  const other = entry.isOtherDay ? [`counted on ${entry.day === null ? 'no day' : formatDay(entry.day)}`] : [];
  const because = why === null ? [] : [WHY_WORDS[why]];
  const notes = [...other, ...because];
  return (
    `${formatInstant(at)}  ${STATUS_WORDS[status]}  ${what.join(', ')}: ${amounts.join(', ')}` +
    (notes.length === 0 ? '' : ` (${notes.join('; ')})`)
  );
}

function formatWindow({ from, until, before, after, journal, others, external }: AuditWindow): string {
  const known = `purchases ${formatTry(journal)}${others === 0 ? '' : `, other programs' jobs ${formatTry(others)}`}`;
  const rest =
    external > 0
      ? `${formatTry(external)} was spent by nothing that the journal or the list knows`
      : `${formatTry(negateMicros(external))} came in: a refund or a top-up`;
  return `${formatInstant(from)} to ${formatInstant(until)}: ${formatTry(before)} to ${formatTry(after)}, ${known}; ${rest}`;
}

/** A sentence; instants in UTC. */
export function formatUnknown(unknown: AuditUnknown): string {
  const { entries, amount, from, until, detail } = unknown;
  return describeUnknown(unknown, {
    entries: formatCounted(entries, 'entry', 'entries'),
    amount: orNone(amount),
    from: from === null ? NOT_KNOWN : formatInstant(from),
    until: until === null ? NOT_KNOWN : formatInstant(until),
    detail: detail === null ? '' : `: ${detail}`,
  });
}
