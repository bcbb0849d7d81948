import { resolve } from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '../../config/load.ts';
import { backUpLedger, type LedgerCopy, restoreLedger } from '../../ledger/back-up.ts';
import { formatInstant } from '../../submission/instant.ts';
import { action } from '../output/command.ts';
import { formatCount, formatCounted } from '../output/format.ts';
import { toLedgerCopyRecord } from '../output/records/ledger.ts';

export function backupCommand(command: Command): void {
  command.argument('<file>', 'where the copy goes; must not exist').action(
    action(async (output, { config: path }, target: string) => {
      const { ledgerUrl } = loadConfig(path);
      output.say('Copying the ledger …');
      const { bytes, ...copy } = await backUpLedger(ledgerUrl, target);
      output.record(toLedgerCopyRecord({ file: target, ...copy }));
      output.print(`${target}: ${describe(copy)}; ${formatCount(bytes)} bytes, checked.`);
      return { summary: { bytes } };
    }),
  );
}

export function restoreCommand(command: Command): void {
  command.argument('<file>', 'a copy that "courier backup" made').action(
    action(async (output, { config: path }, file: string) => {
      const { ledgerUrl } = loadConfig(path);
      const { kept, ...copy } = restoreLedger(ledgerUrl, resolve(file), Date.now());
      output.record(toLedgerCopyRecord({ file, ...copy }));
      output.print(`Restored ${describe(copy)}.`);
      if (kept !== null) output.print(`The former ledger is kept as ${kept}.`);
      output.print(
        'It does not know what was bought since. Wait until the list of the service shows the last jobs (ten minutes, if you do ' +
          'not know how late it is), then run "courier recover" and "courier plan", and start the workers.',
      );
      return { summary: { kept } };
    }),
  );
}

function describe({ ledger, urls, batches, lastAcceptedAt }: LedgerCopy): string {
  const last = lastAcceptedAt === null ? '' : `, the last accepted ${formatInstant(lastAcceptedAt)}`;
  return `ledger ${ledger} with ${formatCounted(urls, 'URL')} and ${formatCounted(batches, 'batch', 'batches')}${last}`;
}
