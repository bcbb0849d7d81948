import type { Command } from 'commander';
import { EXIT } from '../../cli-kit/exit-codes.ts';
import { moveAccount } from '../../ledger/money/account.ts';
import { action } from '../output/command.ts';
import { toMovedRecord } from '../output/records/account.ts';
import { getAccount, withLedger } from '../with-ledger.ts';

export function accountsCommand(command: Command): void {
  configureMove(
    command
      .command('move')
      .description('confirm that the service of an account has a new address or id, and is the same otherwise'),
  );
}

function configureMove(command: Command): void {
  command.argument('<account>', 'name of the account').action(
    action((output, flags, name: string) =>
      withLedger(flags, async ({ config, ledger }) => {
        const account = getAccount(config, name);
        await moveAccount(ledger, account);
        output.record(toMovedRecord(account));
        output.print(
          `Account ${account.id} is at ${account.baseUrl} from now on. Its batches, keys and charges are kept: nothing was ` +
            'submitted or charged. The id that the service shows next is taken for its own.',
        );
        return { exitCode: EXIT.done, summary: { account: account.id } };
      }),
    ),
  );
}
