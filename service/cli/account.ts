import type { Command } from 'commander';
import type { Micros } from '../../contract/money.ts';
import { parseWholeNumber } from '../../src/cli-kit/arguments.ts';
import { addAccountMoney } from './account-money.ts';
import { amount, showAccount } from './account-record.ts';
import { accountVerb, administer, databaseCommand, type Named } from './database.ts';
import { showEvent } from './events.ts';
import { toPasswordRecord, toResetLinkRecord } from './records.ts';

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
      administer<Named & { balance?: Micros; price: Micros; priceFast?: Micros }>(
        async ({ output, accounts }, flags) => {
          const created = await accounts.createAccount(flags);
          showAccount(output, created, { password: created.password });
          output.print(`password for the dashboard, shown this once: ${created.password}`);
        },
      ),
    );

  databaseCommand(account, 'list', 'list the accounts').action(
    administer<object>(async ({ output, accounts }) => {
      for (const each of await accounts.accounts()) showAccount(output, each);
    }),
  );

  accountVerb(account, 'suspend', 'refuse the keys of an account until it is resumed')
    .requiredOption('--reason <text>', 'why; the customer sees it')
    .action(
      administer<Named & { reason: string }>(async ({ output, accounts }, { name, reason }) =>
        showAccount(output, await accounts.suspend(name, reason)),
      ),
    );

  accountVerb(account, 'resume', 'accept the keys of a suspended account again').action(
    administer<Named>(async ({ output, accounts }, { name }) => showAccount(output, await accounts.resume(name))),
  );

  accountVerb(account, 'close', 'end an account without a balance permanently: keys, sessions and sign-in')
    .requiredOption('--reason <text>', 'why')
    .action(
      administer<Named & { reason: string }>(async ({ output, accounts }, { name, reason }) =>
        showAccount(output, await accounts.close(name, reason)),
      ),
    );

  accountVerb(account, 'events', 'list who changed what, newest first')
    .option('--limit <count>', 'how many (50)', parseWholeNumber)
    .action(
      administer<Named & { limit?: number }>(async ({ output, accounts }, { name, limit = 50 }) => {
        for (const each of await accounts.events(name, limit)) showEvent(output, each);
      }),
    );
}

function addPasswords(account: Command): void {
  accountVerb(
    account,
    'reset-password',
    'give the account a new password for the dashboard and end its sessions',
  ).action(
    administer<Named>(async ({ output, accounts }, { name }) => {
      const password = await accounts.resetPassword(name);
      output.record(toPasswordRecord({ name, password }));
      output.print(`password for the dashboard, shown this once: ${password}`);
    }),
  );

  accountVerb(account, 'reset-link', 'make a link with which the customer sets a new password, once, within a day')
    .option('--address <url>', 'address of the dashboard, for the link')
    .action(
      administer<Named & { address?: string }>(async ({ output, accounts }, { name, address = '' }) => {
        const link = `${address.replace(/\/+$/, '')}/reset/${await accounts.createReset(name)}`;
        output.record(toResetLinkRecord({ name, link }));
        output.print(link);
      }),
    );
}
