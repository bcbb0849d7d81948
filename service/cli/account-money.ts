import { type Command, Option } from 'commander';
import { formatTry, type Micros } from '../../contract/money.ts';
import { SERVICE_LEVELS, type ServiceLevel } from '../../contract/states.ts';
import { createAmountParser, parseDay } from '../../src/cli-kit/arguments.ts';
import type { Output } from '../../src/cli-kit/output.ts';
import { toInstant } from '../../src/cli-kit/record-schema.ts';
import { statementCsv } from '../accounts/statement-csv.ts';
import type { Moved, Movement } from '../accounts/top-up.ts';
import { amount, showAccount } from './account-record.ts';
import { accountVerb, administer, type Named } from './database.ts';
import { toEntryRecord, toPriceRecord, toStatementRecord } from './records.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Top-ups, adjustments, prices and statements of an account. */
export function addAccountMoney(account: Command): void {
  accountVerb(account, 'top-up', 'add to the balance')
    .requiredOption('--amount <amount>', 'amount in TRY', amount)
    .option('--reference <text>', 'your invoice or transfer; the same one again adds nothing')
    .option('--reason <text>', 'a note for the statement')
    .action(
      administer<Movement & Named>(async ({ output, accounts }, { name, ...movement }) =>
        showMoved(output, await accounts.move(name, 'top_up', movement)),
      ),
    );

  accountVerb(account, 'adjust', 'correct the balance up or down')
    .requiredOption(
      '--amount <amount>',
      'amount in TRY, negative to take money',
      createAmountParser(() => true, '0.25TRY'),
    )
    .requiredOption('--reason <text>', 'why; the customer sees it')
    .requiredOption('--reference <text>', 'your case or document; the same one again changes nothing')
    .action(
      administer<Movement & Named>(async ({ output, accounts }, { name, ...movement }) =>
        showMoved(output, await accounts.move(name, 'adjustment', movement)),
      ),
    );

  accountVerb(account, 'set-price', 'set the price of what is accepted from now on')
    .addOption(new Option('--service <level>', 'service level').choices(SERVICE_LEVELS).default('standard'))
    .requiredOption('--price <amount>', 'price per URL in TRY', amount)
    .option('--reason <text>', 'why, for the price history')
    .action(
      administer<Named & { service: ServiceLevel; price: Micros; reason?: string }>(
        async ({ output, accounts }, { name, service, price, reason }) =>
          showAccount(output, await accounts.setPrice(name, service, price, reason)),
      ),
    );

  accountVerb(account, 'prices', 'list every price that the account had, oldest first').action(
    administer<Named>(async ({ output, accounts }, { name }) => {
      for (const each of await accounts.prices(name)) {
        const { service, price, reason, created_at: from } = each;
        output.record(toPriceRecord(each));
        output.print(`${toInstant(from)} ${service} ${formatTry(price)}${reason === null ? '' : ` (${reason})`}`);
      }
    }),
  );

  accountVerb(account, 'statement', 'print every entry of some days as CSV, or as records with --json')
    .requiredOption('--from <day>', 'first day (UTC)', parseDay)
    .requiredOption('--to <day>', 'last day (UTC), inclusive', parseDay)
    .action(
      administer<Named & { from: number; to: number }>(async ({ output, accounts }, { name, from, to }) => {
        const statement = await accounts.statement(name, { from, to: to + DAY_MS });
        for (const entry of statement.entries) output.record(toEntryRecord(entry));
        output.record(toStatementRecord({ ...statement, name }));
        output.print(statementCsv(statement).trimEnd());
      }),
    );
}

function showMoved(output: Output, { account, repeated }: Moved): void {
  showAccount(output, account, { repeated });
  if (repeated) output.print('This reference was used before for the same amount: nothing was changed.');
}
