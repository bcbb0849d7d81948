import { type Command, Option } from 'commander';
import { formatTry, type Micros } from '../../contract/money.ts';
import { SERVICE_LEVELS, type ServiceLevel } from '../../contract/states.ts';
import type { Output } from '../../src/cli-kit/output.ts';
import { statementCsv } from '../accounts/statement-csv.ts';
import type { Moved } from '../accounts/top-up.ts';
import { showAccount } from './account-record.ts';
import { run } from './command.ts';
import { type DatabaseFlags, databaseCommand, withAdministration } from './database.ts';
import { amount, day, signedAmount } from './numbers.ts';
import { entryRecord, priceRecord, statementRecord } from './records.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

interface Named extends DatabaseFlags {
  readonly name: string;
}

/** Top-ups, adjustments, prices and statements of an account. */
export function addAccountMoney(account: Command): void {
  databaseCommand(account, 'top-up', 'add to the balance')
    .requiredOption('--name <name>', 'name of the account')
    .requiredOption('--amount <amount>', 'amount in TRY', amount)
    .option('--reference <text>', 'your invoice or transfer; the same one again adds nothing')
    .option('--reason <text>', 'a note for the statement')
    .action(
      run(async (output, flags: Named & { amount: Micros; reference?: string; reason?: string }) => {
        const { reference, reason } = flags;
        const movement = {
          amount: flags.amount,
          ...(reference === undefined ? {} : { reference }),
          ...(reason === undefined ? {} : { reason }),
        };
        showMoved(output, await withAdministration(flags, (it) => it.move(flags.name, 'top_up', movement)));
      }),
    );

  databaseCommand(account, 'adjust', 'correct the balance up or down')
    .requiredOption('--name <name>', 'name of the account')
    .requiredOption('--amount <amount>', 'amount in TRY, negative to take money', signedAmount)
    .requiredOption('--reason <text>', 'why; the customer sees it')
    .requiredOption('--reference <text>', 'your case or document; the same one again changes nothing')
    .action(
      run(async (output, flags: Named & { amount: Micros; reason: string; reference: string }) => {
        const { reason, reference } = flags;
        const movement = { amount: flags.amount, reason, reference };
        showMoved(output, await withAdministration(flags, (it) => it.move(flags.name, 'adjustment', movement)));
      }),
    );

  databaseCommand(account, 'set-price', 'set the price of what is accepted from now on')
    .requiredOption('--name <name>', 'name of the account')
    .addOption(new Option('--service <level>', 'service level').choices(SERVICE_LEVELS).default('standard'))
    .requiredOption('--price <amount>', 'price per URL in TRY', amount)
    .option('--reason <text>', 'why, for the price history')
    .action(
      run(async (output, flags: Named & { service: ServiceLevel; price: Micros; reason?: string }) => {
        const { name, service, price, reason } = flags;
        showAccount(output, await withAdministration(flags, (it) => it.setPrice(name, service, price, reason)));
      }),
    );

  databaseCommand(account, 'prices', 'list every price that the account had, oldest first')
    .requiredOption('--name <name>', 'name of the account')
    .action(
      run(async (output, flags: Named) => {
        for (const each of await withAdministration(flags, (it) => it.prices(flags.name))) {
          const from = new Date(each.created_at).toISOString();
          const { service, reason } = each;
          output.record(priceRecord.build(each));
          output.print(`${from} ${service} ${formatTry(each.price)}${reason === null ? '' : ` (${reason})`}`);
        }
      }),
    );

  databaseCommand(account, 'statement', 'print every entry of some days as CSV, or as records with --json')
    .requiredOption('--name <name>', 'name of the account')
    .requiredOption('--from <day>', 'first day (UTC)', day)
    .requiredOption('--to <day>', 'last day (UTC), inclusive', day)
    .action(
      run(async (output, flags: Named & { from: number; to: number }) => {
        const range = { from: flags.from, to: flags.to + DAY_MS };
        const statement = await withAdministration(flags, (it) => it.statement(flags.name, range));
        for (const entry of statement.entries) output.record(entryRecord.build(entry));
        output.record(statementRecord.build({ ...statement, name: flags.name }));
        output.print(statementCsv(statement).trimEnd());
      }),
    );
}

function showMoved(output: Output, { account, repeated }: Moved): void {
  showAccount(output, account, { repeated });
  if (repeated) output.print('This reference was used before for the same amount: nothing was changed.');
}
