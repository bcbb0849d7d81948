import type { Entry, EntryKind } from '../../../accounts/entries.ts';
import { listEntries, readStatement, summarizeEntries } from '../../../accounts/statement.ts';
import { statementCsv } from '../../../accounts/statement-csv.ts';
import { required } from '../../../required.ts';
import { facts, pager, select, table } from '../components.ts';
import { columnDecimals } from '../format.ts';
import { type Html, html } from '../html.ts';
import { showPage } from '../layout.ts';
import { type Dashboard, sendCsv } from '../routes.ts';
import { getPage, getQuery, type View, type Visit } from '../view.ts';
import { monthRange, toMonth } from '../zones.ts';

const PER_PAGE = 20;

/** Every entry by month, with the balance before and after, and the month as a download. */
export function entryPages({ context, page }: Dashboard): void {
  const { now } = context;

  const chooseMonth = (visit: Visit) => {
    const { session, request, zone } = visit;
    const months = listMonths(toMonth(zone, session.account.createdAt), toMonth(zone, now()));
    const { month: asked = '' } = getQuery(request);
    const month = months.includes(asked) ? asked : required(months[0], 'the current month');
    return { months, month, account: session.account.id, range: monthRange(zone, month) };
  };

  page('/entries', async (visit) => {
    const { db, text, format, request } = visit;
    const { entries: t } = text;
    const { months, month, account, range } = chooseMonth(visit);
    const { opening, closing, totals, count } = await summarizeEntries(db, account, range);
    const pages = Math.max(1, Math.ceil(count / PER_PAGE));
    const page = Math.min(getPage(request), pages);
    const shown = await listEntries(db, account, range, { limit: PER_PAGE, offset: (page - 1) * PER_PAGE });
    const amounts = [opening, closing, ...Object.values(totals)];
    const money = (amount: (typeof amounts)[number]) => format.money(amount, columnDecimals(amounts));
    const content = html`<p>${t.intro}</p>
<form method="get" action="/entries">${select({
      name: 'month',
      label: t.month,
      options: months.map((each) => [each, format.month(each)] as const),
      chosen: month,
    })} <button>${text.common.show}</button></form>
<h2>${t.statement(format.month(month))}</h2>
${facts([
  [t.opening, money(opening)],
  ...(Object.entries(totals) as [EntryKind, typeof opening][]).map(
    ([kind, total]) => [t.kinds[kind], money(total)] as const,
  ),
  [t.closing, money(closing)],
])}
${entriesTable(visit, t.caption(format.month(month)), shown)}
${pager(visit, `/entries?month=${month}`, page, pages)}
<p class="actions"><a class="button" href="/entries.csv?month=${month}">${text.common.download}</a> <a class="button" href="/entries/audit">${text.audit.link}</a></p>
<p class="quiet">${text.common.zone(visit.zone)}</p>`;
    return showPage(visit, { title: t.title, section: 'entries', content });
  });

  page('/entries.csv', async (visit) => {
    const { month, account, range } = chooseMonth(visit);
    return sendCsv(visit.reply, `statement-${month}`, statementCsv(await readStatement(visit.db, account, range)));
  });
}

/** Every month from the first to the last, newest first. */
export function listMonths(first: string, last: string): string[] {
  const months: string[] = [];
  for (let [year, month] = last.split('-').map(Number) as [number, number]; ; month--) {
    if (month === 0) [year, month] = [year - 1, 12];
    const text = `${year}-${String(month).padStart(2, '0')}`;
    months.push(text);
    if (text <= first) return months;
  }
}

export function entriesTable({ text, format }: View, caption: string, entries: readonly Entry[]): Html {
  const { entries: t, common } = text;
  const decimals = columnDecimals(entries.flatMap(({ amount, balance_after }) => [amount, balance_after]));
  return table({
    caption,
    columns: [
      [common.time, (entry) => format.time(entry.created_at)],
      [t.kind, ({ kind }) => t.kinds[kind]],
      [t.for, subjectLink],
      [
        t.note,
        ({ reason, reference }) => [reason, reference].filter((part) => part !== null).join(' · ') || common.none,
        'text',
      ],
      [common.amount, ({ amount }) => format.money(amount, decimals), 'number'],
      [common.balance, (entry) => format.money(entry.balance_after, decimals), 'number'],
    ],
    rows: entries,
    empty: t.empty,
  });
}

function subjectLink({ subject }: Entry): Html {
  if (subject.startsWith('sub_')) return html`<a href="/submissions/${subject}">${subject}</a>`;
  if (subject.startsWith('chk_')) return html`<a href="/index-checks/${subject}">${subject}</a>`;
  return html`${subject}`;
}
