import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDay } from '../../cli-kit/arguments.ts';
import { type CommandError, UsageError } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import { collectReport } from '../../report/collect.ts';
import { LANGUAGES, type Language } from '../../report/messages.ts';
import type { Report } from '../../report/report.ts';
import { getReportName, writeWhole } from '../../report/report-file.ts';
import type { Ending } from '../output/command.ts';
import { formatCounted } from '../output/format.ts';
import { listReportRecords } from '../output/records/report.ts';
import { type CommandContext, getAccount, getWatch, ledgerAction } from '../with-ledger.ts';

interface ReportFlags {
  readonly watch?: readonly string[];
  readonly account?: readonly string[];
  readonly days: number;
  readonly since?: number;
  readonly out?: string;
  readonly csv?: boolean;
  readonly lang: Language;
}

const DAY = 86_400_000;
const DEFAULT_DAYS = 31;
const MOST_DAYS = 366;

export function reportCommand(command: Command): void {
  command
    .option('--watch <watch...>', 'only these watches (default: all)')
    .option('--account <account...>', 'only the watches of these accounts')
    .addOption(
      new Option('--days <n>', 'days up to today').argParser(parseDays).default(DEFAULT_DAYS).conflicts('since'),
    )
    .option('--since <date>', 'first day, such as 2026-01-31', parseDay)
    .option(
      '-o, --out <file>',
      'write to this file, replacing it; "-": standard output (default: courier-report-DATE.html, which must not exist)',
    )
    .option('--csv', 'the figures as CSV, to standard output unless --out names a file')
    .addOption(new Option('--lang <language>', 'language of the HTML page').choices(LANGUAGES).default('en'))
    .action(ledgerAction(report));
}

async function report(output: Output, context: CommandContext, options: ReportFlags): Promise<Ending> {
  const { config, ledger } = context;
  if (output.json && options.csv === true)
    throw usage('--json and --csv are two forms of the same figures: choose one.');
  if (output.json && options.out === '-') throw usage('--json writes to standard output already: leave out --out.');
  const now = ledger.now();
  const since = options.since ?? now - (options.days - 1) * DAY;
  if (since > now) throw usage('--since is in the future.');
  if (now - since > MOST_DAYS * DAY) throw usage(`A report covers at most ${MOST_DAYS} days.`);
  const made = await collectReport(ledger, config, {
    watches: (options.watch ?? []).map((name) => getWatch(config.watches, name).id),
    accounts: (options.account ?? []).map((name) => getAccount(config, name).id),
    since,
  });
  if (made.watches.length === 0) throw usage('No watch is left: the watches named are not of the accounts named.');
  const file = await write(output, made, options);
  return { summary: { file, watches: made.watches.length } };
}

/** Returns the file that was written; null when none was. */
async function write(output: Output, made: Report, { out, csv = false, lang }: ReportFlags): Promise<string | null> {
  if (output.json) for (const record of listReportRecords(made)) output.record(record);
  if (output.json && out === undefined) return null;
  // Plots take longer to load than the figures take to read.
  const text = csv
    ? (await import('../../report/csv.ts')).renderCsv(made)
    : (await import('../../report/page.ts')).renderPage(made, lang);
  if (out === '-' || (csv && out === undefined)) {
    output.print(text.trimEnd());
    return null;
  }
  const file = out ?? getReportName(made.madeAt);
  try {
    writeWhole(file, text, { replace: out !== undefined });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? `it exists; replace it with --out ${file}` : message;
    throw new UsageError(`The report was not written to ${file}: ${why}. Nothing was changed.`);
  }
  if (!output.quiet) output.print(`${file}: ${formatCounted(made.watches.length, 'watch', 'watches')}.`);
  return file;
}

const usage = (message: string): CommandError => new UsageError(`${message} Nothing was read or written.`);

function parseDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= MOST_DAYS) return days;
  throw new InvalidArgumentError(`Write a number of days, 1 to ${MOST_DAYS}.`);
}
