import { type Micros, ZERO } from '../../../../contract/money.ts';
import { type AccountAudit, auditAccount, isSound, type MonthSums } from '../../../accounts/account-audit.ts';
import { accountAuditCsv, KINDS } from '../../../accounts/account-audit-csv.ts';
import { type Column, facts, notice, table } from '../components.ts';
import { columnDecimals } from '../format.ts';
import { type Html, html } from '../html.ts';
import { showPage } from '../layout.ts';
import { type Dashboard, sendCsv } from '../routes.ts';
import type { Visit } from '../view.ts';
import { toMonthOf } from '../zones.ts';

/** The entries of the account added up again, and whether every sum agrees. */
export function auditPages({ page }: Dashboard): void {
  const read = ({ db, session, zone }: Visit) => auditAccount(db, session.account.id, toMonthOf(zone));

  page('/entries/audit', async (visit) => {
    const { text } = visit;
    const { audit: t } = text;
    const audit = await read(visit);
    const content = html`<p><a href="/entries">${t.back}</a></p>
<p>${t.intro}</p>
${isSound(audit) ? notice(t.sound, 'good') : notice(t.unsound)}
${comparedFacts(visit, audit)}
${monthsTable(visit, audit)}
<p><a class="button" href="/entries/audit.csv">${text.common.download}</a></p>
<p class="quiet">${text.common.zone(visit.zone)}</p>`;
    return showPage(visit, { title: t.title, section: 'entries', content });
  });

  page('/entries/audit.csv', async (visit) => sendCsv(visit.reply, 'audit', accountAuditCsv(await read(visit))));
}

function comparedFacts({ text, format }: Visit, { sum, balance, spent, charged, broken }: AccountAudit): Html {
  const { audit: t } = text;
  const decimals = columnDecimals([sum, balance, spent, charged]);
  return facts([
    [t.sum, format.money(sum, decimals)],
    [t.balance, format.money(balance, decimals)],
    [t.spent, format.money(spent, decimals)],
    [t.charged, format.money(charged, decimals)],
    [t.broken, format.count(broken)],
  ]);
}

function monthsTable({ text, format }: Visit, { months }: AccountAudit): Html {
  const { audit: t, entries } = text;
  const decimals = columnDecimals(
    months.flatMap(({ opening, closing, totals }) => [opening, closing, ...Object.values(totals)]),
  );
  const money = (name: string, amount: (month: MonthSums) => Micros): Column<MonthSums> => [
    name,
    (month) => format.money(amount(month), decimals),
    'number',
  ];
  return table({
    caption: t.months,
    columns: [
      [entries.month, ({ month }) => html`<a href="/entries?month=${month}">${format.month(month)}</a>`],
      money(entries.opening, ({ opening }) => opening),
      ...KINDS.map((kind) => money(entries.kinds[kind], ({ totals }) => totals[kind] ?? ZERO)),
      money(entries.closing, ({ closing }) => closing),
    ],
    rows: months.toReversed(),
    empty: entries.empty,
  });
}
