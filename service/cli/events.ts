import type { Command } from 'commander';
import { parseWholeNumber } from '../../src/cli-kit/arguments.ts';
import type { Output } from '../../src/cli-kit/output.ts';
import { toInstant } from '../../src/cli-kit/record-schema.ts';
import type { AuditEvent } from '../accounts/audit-events.ts';
import { administer, databaseOptions } from './database.ts';
import { toEventRecord } from './records.ts';

const DEFAULT_LIMIT = 1_000;

/** The audit log of all accounts, to be copied elsewhere: each call continues where the last one ended. */
export function eventsCommand(command: Command): void {
  databaseOptions(command)
    .option('--after <id>', 'only events after this one: the highest id that you have (0)', parseWholeNumber)
    .option('--limit <count>', `how many (${DEFAULT_LIMIT})`, parseWholeNumber)
    .action(
      administer<{ after?: number; limit?: number }>(
        async ({ output, accounts }, { after = 0, limit = DEFAULT_LIMIT }) => {
          for (const each of await accounts.eventsAfter(after, limit)) showEvent(output, each);
        },
      ),
    );
}

export function showEvent(output: Output, each: AuditEvent): void {
  const { id, account, event, actor, address, details, created_at } = each;
  output.record(toEventRecord(each));
  const who = `${actor}${address === null ? '' : ` (${address})`}`;
  output.print(`${toInstant(created_at)} ${id} ${account}: ${event} by ${who} ${JSON.stringify(details)}`);
}
