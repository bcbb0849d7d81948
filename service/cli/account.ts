import { type Command, Option } from 'commander';
import { decimalTry, formatTry, type Micros } from '../../contract/money.ts';
import { SERVICE_LEVELS, type ServiceLevel } from '../../contract/states.ts';
import type { Account } from '../accounts/account.ts';
import { run } from './command.ts';
import { type DatabaseFlags, databaseOption, withAdministration } from './database.ts';
import { amount } from './numbers.ts';
import type { Flags, Output } from './output.ts';

type Common = Flags & DatabaseFlags;

const show = (output: Output, account: Account, more: Record<string, unknown> = {}): void => {
  output.record({
    type: 'account',
    id: String(account.id),
    name: account.name,
    balance: decimalTry(account.balance),
    price: decimalTry(account.prices.standard),
    price_fast: decimalTry(account.prices.fast),
    currency: 'TRY',
    ...more,
  });
  const { standard, fast } = account.prices;
  output.print(
    `${account.name}: balance ${formatTry(account.balance)}, per URL ${formatTry(standard)} standard, ${formatTry(fast)} fast`,
  );
};

export function addAccount(program: Command): void {
  const account = program.command('account').description('accounts: create, list, top-up, set-price, reset-password');
  const verb = (name: string, description: string) =>
    account
      .command(name)
      .description(description)
      .addOption(databaseOption())
      .option('--config <file>', 'settings file of serve, for its database')
      .option('--json', 'one record a line');

  verb('create', 'add an account with its first balance and its prices')
    .requiredOption('--name <name>', 'name of the account, also for the dashboard')
    .option('--balance <amount>', 'first balance in TRY', amount)
    .requiredOption('--price <amount>', 'price per URL in TRY', amount)
    .option('--price-fast <amount>', 'price per URL of service fast (as --price)', amount)
    .action((flags: Common & { name: string; balance?: Micros; price: Micros; priceFast?: Micros }) =>
      run(flags, async (output) => {
        const { name, balance, price, priceFast } = flags;
        const created = await withAdministration(flags, (accounts) =>
          accounts.createAccount({
            name,
            price,
            ...(balance === undefined ? {} : { balance }),
            ...(priceFast === undefined ? {} : { priceFast }),
          }),
        );
        show(output, created, { password: created.password });
        output.print(`password for the dashboard, shown this once: ${created.password}`);
      }),
    );

  verb('list', 'list the accounts').action((flags: Common) =>
    run(flags, async (output) => {
      for (const each of await withAdministration(flags, (accounts) => accounts.accounts())) show(output, each);
    }),
  );

  verb('top-up', 'add to the balance')
    .requiredOption('--name <name>', 'name of the account')
    .requiredOption('--amount <amount>', 'amount in TRY', amount)
    .action((flags: Common & { name: string; amount: Micros }) =>
      run(flags, async (output) =>
        show(output, await withAdministration(flags, (accounts) => accounts.topUp(flags.name, flags.amount))),
      ),
    );

  verb('set-price', 'set the price of what is accepted from now on')
    .requiredOption('--name <name>', 'name of the account')
    .addOption(new Option('--service <level>', 'service level').choices(SERVICE_LEVELS).default('standard'))
    .requiredOption('--price <amount>', 'price per URL in TRY', amount)
    .action((flags: Common & { name: string; service: ServiceLevel; price: Micros }) =>
      run(flags, async (output) =>
        show(
          output,
          await withAdministration(flags, (accounts) => accounts.setPrice(flags.name, flags.service, flags.price)),
        ),
      ),
    );

  verb('reset-password', 'give the account a new password for the dashboard and end its sessions')
    .requiredOption('--name <name>', 'name of the account')
    .action((flags: Common & { name: string }) =>
      run(flags, async (output) => {
        const password = await withAdministration(flags, (accounts) => accounts.resetPassword(flags.name));
        output.record({ type: 'password', name: flags.name, password });
        output.print(`password for the dashboard, shown this once: ${password}`);
      }),
    );
}
