import type { Command } from 'commander';
import { CommandError, EXIT } from '../../src/cli-kit/exit-codes.ts';
import type { Output } from '../../src/cli-kit/output.ts';
import type { Difference } from '../operations/audit.ts';
import { backUp } from '../operations/backup.ts';
import { run } from './command.ts';
import { administer, type DatabaseFlags, databaseOptions, findDatabase } from './database.ts';
import { toBackupRecord, toDifferenceRecord } from './records.ts';

function showDifferences(output: Output, differences: readonly Difference[]): void {
  for (const each of differences) {
    const { rule, subject, expected, found } = each;
    output.record(toDifferenceRecord(each));
    output.print(`${subject}: expected ${expected}, found ${found} (${rule})`);
  }
}

const toDifferenceError = (count: number): CommandError =>
  new CommandError(
    EXIT.partial,
    `${count} ${count === 1 ? 'difference' : 'differences'} between balances, entries, submissions and index-checks`,
  );

export function auditCommand(command: Command): void {
  databaseOptions(command).action(
    administer<object>(async ({ output, operations }) => {
      const differences = await operations.audit();
      showDifferences(output, differences);
      if (differences.length > 0) throw toDifferenceError(differences.length);
      output.print('no differences');
    }),
  );
}

export function backupCommand(command: Command): void {
  databaseOptions(command)
    .argument('<file>', 'where the copy goes; must not exist')
    .action(
      run(async (output, file: string, flags: DatabaseFlags) => {
        const copy = await backUp(findDatabase(flags), file);
        const { bytes, differences } = copy;
        output.record(toBackupRecord(copy));
        output.print(`${file}: ${bytes} bytes, checked`);
        showDifferences(output, differences);
        if (differences.length > 0) throw toDifferenceError(differences.length);
      }),
    );
}
