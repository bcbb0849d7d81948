import type { Command } from 'commander';
import type { Difference } from '../operations/audit.ts';
import { backUp } from '../operations/backup.ts';
import { DifferenceError, run } from './command.ts';
import { type DatabaseFlags, databaseCommand, findDatabase, withAdministration } from './database.ts';
import type { Output } from './output.ts';

function showDifferences(output: Output, differences: readonly Difference[]): void {
  for (const { rule, subject, expected, found } of differences) {
    output.record({ type: 'difference', rule, subject, expected, found });
    output.print(`${subject}: expected ${expected}, found ${found} (${rule})`);
  }
}

const report = (count: number): DifferenceError =>
  new DifferenceError(`${count} differences between balances, entries, submissions and index-checks`);

export function addAudit(program: Command): void {
  databaseCommand(
    program,
    'audit',
    'compare balances with entries, and charges with submissions and index-checks',
  ).action((flags: DatabaseFlags) =>
    run(flags, async (output) => {
      const differences = await withAdministration(flags, (_, operations) => operations.audit());
      showDifferences(output, differences);
      if (differences.length > 0) throw report(differences.length);
      output.print('no differences');
    }),
  );
}

export function addBackup(program: Command): void {
  databaseCommand(program, 'backup', 'copy the SQLite database while the service runs, and audit the copy')
    .argument('<file>', 'where the copy goes; must not exist')
    .action((file: string, flags: DatabaseFlags) =>
      run(flags, async (output) => {
        const { bytes, differences } = await backUp(findDatabase(flags), file);
        output.record({ type: 'backup', file, bytes, differences: differences.length });
        output.print(`${file}: ${bytes} bytes, checked`);
        showDifferences(output, differences);
        if (differences.length > 0) throw report(differences.length);
      }),
    );
}
