import type { Command } from 'commander';
import { ask } from '../../cli-kit/arguments.ts';
import { CommandError, EXIT, UsageError } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import { stopSignal } from '../../cli-kit/stop-signal.ts';
import { findWatch } from '../../ledger/accounts/watches.ts';
import { type ForgetInput, forgetPages } from '../../ledger/forgotten/forget-pages.ts';
import type { ForgetSelection } from '../../ledger/forgotten/forget-selection.ts';
import { type ForgetSurvey, requireForgettable, surveyForget } from '../../ledger/forgotten/survey-forget.ts';
import { LedgerError } from '../../ledger/ledger-error.ts';
import type { WatchId } from '../../submission/ids.ts';
import { findHostProblem } from '../../url/hosts.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { Ending } from '../output/command.ts';
import { formatCounted } from '../output/format.ts';
import { sayOften } from '../output/progress.ts';
import { toListedPagesRecord } from '../output/records/ledger.ts';
import { parseUrlArgument } from '../url-argument.ts';
import { readUrlFile } from '../url-file.ts';
import { type CommandContext, ledgerAction } from '../with-ledger.ts';
import { compactLedger } from './ledger-prune.ts';

interface ForgetFlags {
  readonly watch?: string;
  readonly host?: string;
  readonly urlsFrom?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly vacuum?: boolean;
}

export function ledgerForgetCommand(command: Command): void {
  command
    .command('forget')
    .description('remove the addresses of pages that no watch lists any more; purchases, charges and counts stay')
    .argument('[url...]', 'forget these pages')
    .option('--watch <watch>', 'forget the pages of a watch that the configuration no longer has')
    .option('--host <host>', 'forget the pages of a host, such as shop.example or *.shop.example')
    .option('--urls-from <file>', 'forget the pages of this file, one URL a line')
    .option('--dry-run', 'only count what would be forgotten')
    .option('--yes', 'forget without asking')
    .option('--vacuum', 'then write a SQLite file again, so that its free space holds no address either')
    .action(ledgerAction(forget));
}

async function forget(
  output: Output,
  context: CommandContext,
  urls: readonly string[],
  flags: ForgetFlags,
): Promise<Ending> {
  const { config, ledger } = context;
  const { dryRun = false, yes = false, vacuum = false } = flags;
  const signal = stopSignal('What was forgotten stays forgotten; run again for the rest.');
  const input = { selection: await parseSelection(context, urls, flags), configured: [...config.watches.keys()] };
  const survey = await surveyForget(ledger, input, { signal });
  refuse(survey, input, formatCommand(urls, flags));
  for (const [watch, pages] of survey.listed) {
    output.record(toListedPagesRecord({ watch, pages }));
    if (!output.quiet) output.print(`${formatCounted(pages, 'page')} kept: the watch ${watch} lists them.`);
  }
  const listed = sum([...survey.listed.values()]);
  if (dryRun) {
    if (!output.quiet) output.print(`${formatCounted(survey.pages, 'page')} would be forgotten; nothing was.`);
    return { summary: toSummary({ dryRun, pages: survey.pages, listed }) };
  }
  if (!yes) await confirm(output, survey);
  const done = await forgetPages(ledger, input, {
    signal,
    onProgress: sayOften(output, (pages) => `${formatCounted(pages, 'page')} so far`),
  });
  const freed = vacuum ? compactLedger(output, config.ledgerUrl) : null;
  if (!output.quiet) {
    output.print(`${formatCounted(done.pages, 'page')} forgotten. Their purchases, charges and counts are kept.`);
    if (done.texts > 0) output.print(`Addresses were removed from ${formatCounted(done.texts, 'message')}.`);
  }
  // Something began with them since they were counted.
  const late = done.kept - listed;
  if (late > 0) output.warn(`${formatCounted(late, 'page')} kept: a watch began to work with them. Run again later.`);
  return {
    exitCode: late > 0 ? EXIT.partial : EXIT.done,
    summary: {
      ...toSummary({ dryRun, pages: done.pages, listed: done.kept }),
      sitemaps: done.sitemaps,
      texts: done.texts,
      freed_bytes: freed === null ? null : freed.bytesBefore - freed.bytesAfter,
    },
  };
}

function refuse(survey: ForgetSurvey, input: ForgetInput, command: string): void {
  try {
    requireForgettable(survey, input, command);
  } catch (error) {
    if (!(error instanceof LedgerError) || survey.obstacle?.kind !== 'run') throw error;
    throw new CommandError(EXIT.busy, error.message, { cause: error });
  }
}

const toSummary = ({ dryRun, pages, listed }: { dryRun: boolean; pages: number; listed: number }) => ({
  pages,
  kept: listed,
  sitemaps: null as number | null,
  texts: null as number | null,
  freed_bytes: null as number | null,
  dry_run: dryRun,
});

const sum = (counts: readonly number[]): number => counts.reduce((all, each) => all + each, 0);

async function parseSelection(
  { config, ledger }: CommandContext,
  urls: readonly string[],
  { watch, host, urlsFrom }: ForgetFlags,
): Promise<ForgetSelection> {
  const given = [watch, host, urlsFrom, urls[0]].filter((each) => each !== undefined);
  if (given.length !== 1) {
    throw new UsageError(
      'Name what to forget in one way: --watch, --host, --urls-from or the URLs. Nothing was forgotten.',
    );
  }
  if (host !== undefined) {
    const problem = findHostProblem(host);
    if (problem !== null) {
      const [instead = 'a host such as shop.example, shop.example:8443 or *.shop.example'] = problem.write;
      throw new UsageError(`--host "${host}": ${problem.says}. Nothing was forgotten. Write ${instead}.`);
    }
    return { kind: 'host', host };
  }
  if (watch === undefined) {
    const named: readonly Url[] = urlsFrom === undefined ? urls.map(parseUrlArgument) : await readUrlFile(urlsFrom);
    return { kind: 'urls', urls: new Set(named) };
  }
  if (config.watches.has(watch as WatchId)) {
    throw new UsageError(
      `The watch ${watch} is configured. Nothing was forgotten. Remove it from the configuration, then type: ` +
        `courier ledger forget --watch ${watch}`,
    );
  }
  if ((await findWatch(ledger.db, watch as WatchId)) === null)
    throw new UsageError(`The ledger has no watch "${watch}". Nothing was forgotten.`);
  return { kind: 'watch', watch: watch as WatchId };
}

function formatCommand(urls: readonly string[], { watch, host, urlsFrom }: ForgetFlags): string {
  const what =
    watch !== undefined
      ? `--watch ${watch}`
      : host !== undefined
        ? `--host "${host}"`
        : urlsFrom !== undefined
          ? `--urls-from ${urlsFrom}`
          : urls.join(' ');
  return `courier ledger forget ${what}`;
}

async function confirm(output: Output, { pages }: ForgetSurvey): Promise<void> {
  const what = `${formatCounted(pages, 'page')} would be forgotten`;
  if (!process.stdin.isTTY || output.json || output.quiet)
    throw new UsageError(`${what}. Nothing was forgotten. Add --yes to forget without being asked.`);
  const answer = await ask(`${what}, and their addresses cannot be restored. Type "yes": `);
  if (answer.trim() !== 'yes') throw new UsageError('Nothing was forgotten.');
}
