import { toInstant, toInstantOrNull } from '../../cli-kit/record-schema.ts';
import type { Audit } from '../../connector/audit/audit.ts';
import { type Cell, renderLines } from '../../report/csv-lines.ts';
import { formatDay } from '../../submission/instant.ts';
import { formatUnknown } from './audit-text.ts';

/** Never renamed or moved: whoever pays keeps a sheet of them. New ones come last. */
export const AUDIT_COLUMNS = [
  'account',
  'kind',
  'status',
  'why',
  'day',
  'at',
  'to',
  'watch',
  'run',
  'id',
  'reference',
  'project',
  'urls',
  'journal_micros',
  'counted_micros',
  'service_micros',
  'difference_micros',
  'text',
] as const;

type Line = Partial<Record<(typeof AUDIT_COLUMNS)[number], Cell>>;

/**
 * One line for each purchase (kind `submission` or `check`), each movement of the balance that nothing explains (`balance`), and
 * what cannot be known (`unknown`). Amounts are in micro-lira. `difference_micros`: above zero, more was paid than the journal has.
 */
export const renderAuditCsv = (audits: readonly Audit[]): string => renderLines(AUDIT_COLUMNS, listLines(audits));

function* listLines(audits: readonly Audit[]): Generator<Line> {
  for (const { account, entries, windows, unknowns } of audits) {
    for (const entry of entries) {
      const { kind, status, why, day, at, watch, run, id, reference, project, urls } = entry;
      yield {
        ...{ account, kind, status, why, day: day === null ? null : formatDay(day), at: toInstant(at) },
        ...{ watch, run, id, reference, project, urls },
        journal_micros: entry.journal,
        counted_micros: entry.counted,
        service_micros: entry.service,
        difference_micros: entry.difference,
      };
    }
    for (const { from, until, before, after, journal, others, external } of windows)
      yield {
        ...{
          account,
          kind: 'balance',
          status: external > 0 ? 'spent' : 'received',
          at: toInstant(from),
          to: toInstant(until),
        },
        journal_micros: journal + others,
        service_micros: before - after,
        difference_micros: external,
      };
    for (const unknown of unknowns)
      yield {
        ...{ account, kind: 'unknown', status: unknown.code },
        at: toInstantOrNull(unknown.from),
        to: toInstantOrNull(unknown.until),
        journal_micros: unknown.amount,
        text: formatUnknown(unknown),
      };
  }
}
