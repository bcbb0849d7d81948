import type { Command } from 'commander';
import { EXIT } from '../../cli-kit/exit-codes.ts';
import { type Output, report } from '../../cli-kit/output.ts';
import { writeOut } from '../../cli-kit/stdout.ts';
import type { Watch } from '../../config/config.ts';
import { type Imported, type ImportedUrl, importPurchases } from '../../ledger/jobs/import-purchases.ts';
import { eachPurchasedPage } from '../../ledger/reports/purchased-urls.ts';
import type { WatchId } from '../../submission/ids.ts';
import { type ImportOptions, readImportFile } from '../import-file.ts';
import type { Ending } from '../output/command.ts';
import { formatCount, formatCounted } from '../output/format.ts';
import { toImportedRecord, toPurchasedUrlRecord } from '../output/records/ledger.ts';
import { type CommandContext, getWatch, ledgerAction } from '../with-ledger.ts';

/** URLs in one transaction: another process waits for no more than these. */
const CHUNK = 5_000;

/** Carries what is bought from one ledger to another. */
export function transferCommands(command: Command): void {
  command
    .command('export')
    .description('print every URL that was bought, one JSON record a line, for "courier ledger import"')
    .argument('[watch...]', 'watches to export, removed ones too (default: all)')
    .action(ledgerAction((output, context, names: string[]) => exportPurchases(output, context, names as WatchId[])));
  command
    .command('import')
    .description('record URLs as already submitted, so that they are not bought; shows what it would do without --yes')
    .argument('<file>', 'an export, or a list with one URL a line')
    .option('--watch <watch>', 'the watch of all of them; a plain list needs it')
    .option('--yes', 'write it to the ledger')
    .action(
      ledgerAction(
        (output, { config, ledger }, file: string, { watch, yes = false }: { watch?: string; yes?: boolean }) => {
          const chosen = watch === undefined ? null : getWatch(config.watches, watch);
          const options = { config, watch: chosen, now: ledger.now() };
          return importFile(output, ledger, file, options, yes);
        },
      ),
    );
}

async function exportPurchases(
  output: Output,
  { ledger }: CommandContext,
  watches: readonly WatchId[],
): Promise<Ending> {
  let urls = 0;
  for await (const page of eachPurchasedPage(ledger.db, watches)) {
    urls += page.length;
    // The same lines with and without --json, which adds the first and the last record.
    await writeOut(page.map((row) => `${JSON.stringify(toPurchasedUrlRecord(row))}\n`).join(''));
  }
  output.say(`${formatCounted(urls, 'URL')} exported. To record them elsewhere: courier ledger import FILE`);
  return { summary: { urls } };
}

async function importFile(
  output: Output,
  ledger: CommandContext['ledger'],
  file: string,
  options: ImportOptions,
  write: boolean,
): Promise<Ending> {
  let urls = 0;
  // Read to its end first: a file with a mistake in its last line changes nothing.
  for await (const _ of readImportFile(file, options)) urls += 1;
  const sums = new Map<Watch, Imported>();
  const waiting = new Map<Watch, ImportedUrl[]>();
  const flush = async (watch: Watch, some: readonly ImportedUrl[]) => {
    const before = sums.get(watch) ?? { added: 0, marked: 0, known: 0 };
    const { added, marked, known } = await importPurchases(ledger, { account: watch.account, watch: watch.id }, some, {
      write,
    });
    sums.set(watch, {
      added: before.added + added,
      marked: before.marked + marked,
      known: before.known + known,
    });
  };
  for await (const { watch, url } of readImportFile(file, options)) {
    const some = waiting.get(watch) ?? [];
    waiting.set(watch, some);
    if (some.push(url) === CHUNK) await flush(watch, some.splice(0));
  }
  for (const [watch, some] of waiting) if (some.length > 0) await flush(watch, some);
  for (const [watch, imported] of sums) {
    output.record(toImportedRecord({ watch: watch.id, account: watch.account, ...imported }));
    report(output, EXIT.done, [formatImported(watch, imported, write)]);
  }
  if (!write) output.say('Nothing was written. To record them as already submitted, add --yes.');
  return { summary: { urls, written: write } };
}

function formatImported({ id }: Watch, { added, marked, known }: Imported, written: boolean): string {
  const verb = written ? 'recorded' : 'would be recorded';
  return (
    `${id}: ${formatCounted(added + marked, 'URL')} ${verb} as already submitted (${formatCount(added)} new to the ledger), ` +
    `${formatCount(known)} known as bought`
  );
}
