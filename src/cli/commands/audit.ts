import type { Command } from 'commander';
import { parseDay } from '../../cli-kit/arguments.ts';
import { type CommandError, EXIT, type ExitCode, pickWorst, UsageError } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import { stopSignal } from '../../cli-kit/stop-signal.ts';
import type { Account } from '../../config/config.ts';
import type { Audit, AuditPeriod } from '../../connector/audit/audit.ts';
import { type Audited, auditAccount } from '../../connector/audit/audit-account.ts';
import { getDayStart, getMonthStart } from '../../ledger/journal/days.ts';
import { writeWhole } from '../../report/report-file.ts';
import { renderAuditCsv } from '../output/audit-csv.ts';
import { listAuditLines } from '../output/audit-text.ts';
import { type Ending, toReadFailureCode } from '../output/command.ts';
import { formatCounted, formatDuration } from '../output/format.ts';
import { openStages } from '../output/progress.ts';
import { listAuditRecords } from '../output/records/audit.ts';
import { type CommandContext, getAccount, ledgerAction } from '../with-ledger.ts';

interface AuditFlags {
  readonly from?: number;
  readonly to?: number;
  readonly all?: boolean;
  readonly csv?: boolean;
  readonly out?: string;
}

const DAY_MS = 86_400_000;

export function auditCommand(command: Command): void {
  command
    .argument('[account...]', 'only these accounts (default: all)')
    .option('--from <date>', 'first day, such as 2026-01-31 (default: the first of this month)', parseDay)
    .option('--to <date>', 'last day (default: today)', parseDay)
    .option('--all', 'show each purchase, also where both sides are the same')
    .option('--csv', 'one line for each purchase as CSV, with all of them')
    .option('-o, --out <file>', 'write to this file, replacing it')
    .action(ledgerAction(audit));
}

async function audit(
  output: Output,
  context: CommandContext,
  names: readonly string[],
  options: AuditFlags,
): Promise<Ending> {
  const { config, ledger } = context;
  if (output.json && options.csv === true)
    throw usage('--json and --csv are two forms of the same figures: choose one.');
  const period = toPeriod(options, ledger.now());
  const accounts =
    names.length === 0 ? [...config.accounts.values()] : [...new Set(names)].map((name) => getAccount(config, name));
  const signal = stopSignal('Nothing was changed.');
  const audited: Audited[] = [];
  for (const account of accounts) audited.push(await readAccount(output, context, account, { period, signal }));
  const audits = audited.map((each) => each.audit);
  for (const each of audits) for (const record of listAuditRecords(each)) output.record(record);
  const file = write(output, audits, options);
  for (const { audit: of, failure } of audited)
    if (failure !== null) output.warn(`${of.account}: the service was not read to the end: ${failure.message}`);
  return {
    exitCode: pickWorst(audited.map(toExitCode)),
    summary: {
      file,
      accounts: audits.length,
      questions: audits.reduce((sum, { totals }) => sum + totals.questions, 0),
    },
  };
}

function toExitCode({ audit: { totals }, failure }: Audited): ExitCode {
  const codes: ExitCode[] = [totals.questions === 0 ? EXIT.done : EXIT.partial];
  if (failure !== null) codes.push(toReadFailureCode(failure));
  return pickWorst(codes);
}

function toPeriod({ from, to }: AuditFlags, now: number): AuditPeriod {
  const last = to ?? getDayStart(now);
  const first = from ?? (to === undefined ? getMonthStart(now) : getMonthStart(to));
  if (first > now) throw usage('--from is in the future.');
  if (first > last) throw usage('--from is later than --to.');
  return { from: first, until: last + DAY_MS };
}

/** Reads both sides, and shows how far that is: a long list takes its time within the rate limits. */
async function readAccount(
  output: Output,
  { config, ledger }: CommandContext,
  account: Account,
  options: { readonly period: AuditPeriod; readonly signal: AbortSignal },
): Promise<Audited> {
  const stages = openStages(output, 1);
  let at: { stage: string; done: number; total: number | null } = { stage: 'list', done: 0, total: null };
  const show = (note: string) => stages.at(at.stage, account.id, at.done, at.total, note);
  try {
    return await auditAccount({
      ...{ ...options, config, ledger, account },
      progress: {
        listed(done, total) {
          at = { stage: 'list', done, total };
          show('jobs of the service');
        },
        lookedUp(done, total) {
          at = { stage: 'look up', done, total };
          show('jobs that the list lacks');
        },
        waiting: (waitMs, why) => show(`waits ${formatDuration(waitMs)}: ${why}`),
      },
    });
  } finally {
    stages.end();
  }
}

/** Returns the file that was written; null when none was. */
function write(output: Output, audits: readonly Audit[], { csv = false, all = false, out }: AuditFlags): string | null {
  const render = () =>
    csv ? renderAuditCsv(audits) : `${audits.flatMap((each) => listAuditLines(each, all)).join('\n')}\n`;
  if (out === undefined || out === '-') {
    if (!output.json) output.print(render().trimEnd());
    return null;
  }
  try {
    writeWhole(out, render(), { replace: true });
  } catch (error) {
    const { message } = error as NodeJS.ErrnoException;
    throw new UsageError(`The audit was not written to ${out}: ${message}. Nothing was changed.`);
  }
  if (!output.quiet) output.print(`${out}: ${formatCounted(audits.length, 'account')}.`);
  return out;
}

const usage = (message: string): CommandError => new UsageError(`${message} Nothing was read or written.`);
