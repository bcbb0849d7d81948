import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { resumeRefused } from '../../ledger/batches/refusal-stop.ts';
import { moveAccount } from '../../ledger/money/account.ts';
import { formatCounted } from '../output/format.ts';
import { toMovedRecord, toResumedRecord } from '../output/records/account.ts';
import { getAccount, ledgerAction } from '../with-ledger.ts';

export function accountsCommand(command: Command): void {
  command
    .command('resume')
    .description('send again at once after the service refused every batch: the cause is corrected')
    .argument('<account>', 'name of the account')
    .option('--release', 'take the batches back instead: their URLs are due again under the settings of the next run')
    .action(
      ledgerAction(async (output, { config, ledger }, name: string, { release = false }: { release?: boolean }) => {
        const { id } = getAccount(config, name);
        const { stopped, batches } = await resumeRefused(ledger, id, { release, by: userInfo().username });
        output.record(toResumedRecord({ account: id, stopped, how: release ? 'release' : 'send', batches }));
        const counted = formatCounted(batches, 'batch', 'batches');
        output.print(
          !stopped
            ? `Account ${id} is not stopped by refusals of the service: nothing was changed.`
            : release
              ? `Account ${id} sends again. ${counted} taken back, nothing of it was charged: the URLs are due again, and ` +
                'the next run plans them by the settings of that time.'
              : `Account ${id} sends again: ${counted} to send, with the bytes and keys that they had. Nothing of it was ` +
                'charged. A running worker sends within a minute, else the next run.',
        );
        return { summary: { account: id } };
      }),
    );
  command
    .command('move')
    .description('confirm that the service of an account has a new address or id, and is the same otherwise')
    .argument('<account>', 'name of the account')
    .action(
      ledgerAction(async (output, { config, ledger }, name: string) => {
        const account = getAccount(config, name);
        await moveAccount(ledger, account);
        output.record(toMovedRecord(account));
        output.print(
          `Account ${account.id} is at ${account.baseUrl} from now on. Its batches, keys and charges are kept: nothing was ` +
            'submitted or charged. The id that the service shows next is taken for its own.',
        );
        return { summary: { account: account.id } };
      }),
    );
}
