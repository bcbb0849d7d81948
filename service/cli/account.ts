import type { Command } from 'commander';
import type { Micros } from '../../contract/money.ts';
import { parseWholeNumber } from '../../src/cli-kit/arguments.ts';
import { addAccountMoney } from './account-money.ts';
import { showAccount } from './account-record.ts';
import { run } from './command.ts';
import { type DatabaseFlags, databaseCommand, withAdministration } from './database.ts';
import { showEvent } from './events.ts';
import { amount } from './numbers.ts';
import { passwordRecord, resetLinkRecord } from './records.ts';

interface Named extends DatabaseFlags {
  readonly name: string;
}

export function accountCommand(account: Command): void {
  addLifecycle(account);
  addAccountMoney(account);
  addPasswords(account);
}

function addLifecycle(account: Command): void {
  databaseCommand(account, 'create', 'add an account with its first balance and its prices')
    .requiredOption('--name <name>', 'name of the account, also for the dashboard')
    .option('--balance <amount>', 'first balance in TRY', amount)
    .requiredOption('--price <amount>', 'price per URL in TRY', amount)
    .option('--price-fast <amount>', 'price per URL of service fast (as --price)', amount)
    .action(
      run(async (output, flags: Named & { balance?: Micros; price: Micros; priceFast?: Micros }) => {
        const { name, balance, price, priceFast } = flags;
        const created = await withAdministration(flags, (accounts) =>
          accounts.createAccount({
            name,
            price,
            ...(balance === undefined ? {} : { balance }),
            ...(priceFast === undefined ? {} : { priceFast }),
          }),
        );
        showAccount(output, created, { password: created.password });
        output.print(`password for the dashboard, shown this once: ${created.password}`);
      }),
    );

  databaseCommand(account, 'list', 'list the accounts').action(
    run(async (output, flags: DatabaseFlags) => {
      for (const each of await withAdministration(flags, (accounts) => accounts.accounts())) showAccount(output, each);
    }),
  );

  databaseCommand(account, 'suspend', 'refuse the keys of an account until it is resumed')
    .requiredOption('--name <name>', 'name of the account')
    .requiredOption('--reason <text>', 'why; the customer sees it')
    .action(
      run(async (output, flags: Named & { reason: string }) =>
        showAccount(output, await withAdministration(flags, (accounts) => accounts.suspend(flags.name, flags.reason))),
      ),
    );

  databaseCommand(account, 'resume', 'accept the keys of a suspended account again')
    .requiredOption('--name <name>', 'name of the account')
    .action(
      run(async (output, flags: Named) =>
        showAccount(output, await withAdministration(flags, (accounts) => accounts.resume(flags.name))),
      ),
    );

  databaseCommand(account, 'close', 'end an account without a balance permanently: keys, sessions and sign-in')
    .requiredOption('--name <name>', 'name of the account')
    .requiredOption('--reason <text>', 'why')
    .action(
      run(async (output, flags: Named & { reason: string }) =>
        showAccount(output, await withAdministration(flags, (accounts) => accounts.close(flags.name, flags.reason))),
      ),
    );

  databaseCommand(account, 'events', 'list who changed what, newest first')
    .requiredOption('--name <name>', 'name of the account')
    .option('--limit <count>', 'how many (50)', parseWholeNumber)
    .action(
      run(async (output, flags: Named & { limit?: number }) => {
        const events = await withAdministration(flags, (accounts) => accounts.events(flags.name, flags.limit ?? 50));
        for (const each of events) showEvent(output, each);
      }),
    );
}

function addPasswords(account: Command): void {
  databaseCommand(account, 'reset-password', 'give the account a new password for the dashboard and end its sessions')
    .requiredOption('--name <name>', 'name of the account')
    .action(
      run(async (output, flags: Named) => {
        const password = await withAdministration(flags, (accounts) => accounts.resetPassword(flags.name));
        output.record(passwordRecord.build({ name: flags.name, password }));
        output.print(`password for the dashboard, shown this once: ${password}`);
      }),
    );

  databaseCommand(account, 'reset-link', 'make a link with which the customer sets a new password, once, within a day')
    .requiredOption('--name <name>', 'name of the account')
    .option('--address <url>', 'address of the dashboard, for the link')
    .action(
      run(async (output, flags: Named & { address?: string }) => {
        const token = await withAdministration(flags, (accounts) => accounts.createReset(flags.name));
        const link = `${(flags.address ?? '').replace(/\/+$/, '')}/reset/${token}`;
        output.record(resetLinkRecord.build({ name: flags.name, link }));
        output.print(link);
      }),
    );
}
