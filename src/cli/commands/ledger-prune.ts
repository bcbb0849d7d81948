import type { Command } from 'commander';
import { UsageError } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import { stopSignal } from '../../cli-kit/stop-signal.ts';
import { type Vacuumed, vacuumSqlite } from '../../database/vacuum.ts';
import { openArchive } from '../../ledger/retention/archive.ts';
import { type Pruned, pruneLedger } from '../../ledger/retention/prune.ts';
import type { Ending } from '../output/command.ts';
import { formatCounted } from '../output/format.ts';
import { sayOften } from '../output/progress.ts';
import { toPrunedRecord } from '../output/records/ledger.ts';
import { type CommandContext, ledgerAction } from '../with-ledger.ts';

interface PruneFlags {
  readonly dryRun?: boolean;
  readonly vacuum?: boolean;
}

export function ledgerPruneCommand(command: Command): void {
  command
    .command('prune')
    .description('remove old details as "retention" of the configuration says; purchases and charges stay')
    .option('--dry-run', 'only count what would be removed')
    .option('--vacuum', 'then give free space of a SQLite file back to the disk; nothing can be written meanwhile')
    .action(ledgerAction(prune));
}

async function prune(
  output: Output,
  { config, ledger }: CommandContext,
  { dryRun = false, vacuum = false }: PruneFlags,
): Promise<Ending> {
  const { retention } = config;
  if (retention === null) {
    throw new UsageError(
      'The configuration has no "retention", so nothing was removed. Write retention: { runs: 90d, batches: 180d, ' +
        'index_checks: 365d } with the ages that you want.',
    );
  }
  const signal = stopSignal('What was removed before stays removed; run again for the rest.');
  const archive = retention.archive === null || dryRun ? null : openArchive(retention.archive, ledger.now());
  let pruned: Pruned;
  try {
    pruned = await pruneLedger(ledger, retention.ages, {
      dryRun,
      signal,
      ...(archive === null ? {} : { archive: archive.keep }),
      onProgress: sayOften(output, (sums: Pruned) => `${formatCounted(sum(sums), 'row')} so far`),
    });
  } finally {
    await archive?.close();
  }
  for (const [table, rows] of Object.entries(pruned)) {
    output.record(toPrunedRecord({ table, rows }));
    if (rows > 0 && !output.quiet) output.print(`${table}: ${formatCounted(rows, 'row')}`);
  }
  const file = archive?.file() ?? null;
  const vacuumed = vacuum && !dryRun ? compactLedger(output, config.ledgerUrl) : null;
  if (!output.quiet) {
    output.print(`${formatCounted(sum(pruned), 'row')} ${dryRun ? 'would be removed; nothing was' : 'removed'}.`);
    if (file !== null) output.print(`They are kept in ${file}.`);
  }
  return {
    summary: {
      rows: sum(pruned),
      dry_run: dryRun,
      archive: file,
      freed_bytes: vacuumed === null ? null : vacuumed.bytesBefore - vacuumed.bytesAfter,
    },
  };
}

const sum = (pruned: Pruned): number => Object.values(pruned).reduce((all, rows) => all + rows, 0);

/** Writes a SQLite file again without its free space; null for Postgres, which does this by itself. */
export function compactLedger(output: Output, url: string): Vacuumed | null {
  if (!url.startsWith('sqlite:')) {
    output.say('Postgres reuses free space by itself (autovacuum); nothing was done.');
    return null;
  }
  const vacuumed = vacuumSqlite(url.slice('sqlite:'.length));
  const toMb = (bytes: number) => (bytes / 1_000_000).toFixed(1);
  if (!output.quiet)
    output.print(`The file has ${toMb(vacuumed.bytesAfter)} MB, before ${toMb(vacuumed.bytesBefore)} MB.`);
  return vacuumed;
}
