import type { Command } from 'commander';
import { parseWholeNumber } from '../../src/cli-kit/arguments.ts';
import type { Output } from '../../src/cli-kit/output.ts';
import type { AuditEvent } from '../accounts/audit-events.ts';
import { run } from './command.ts';
import { type DatabaseFlags, databaseOptions, withAdministration } from './database.ts';
import { eventRecord } from './records.ts';

const DEFAULT_LIMIT = 1_000;

/** The audit log of all accounts, to be copied elsewhere: each call continues where the last one ended. */
export function eventsCommand(command: Command): void {
  databaseOptions(command)
    .option('--after <id>', 'only events after this one: the highest id that you have (0)', parseWholeNumber)
    .option('--limit <count>', `how many (${DEFAULT_LIMIT})`, parseWholeNumber)
    .action(
      run(async (output, flags: DatabaseFlags & { after?: number; limit?: number }) => {
        const { after = 0, limit = DEFAULT_LIMIT } = flags;
        for (const each of await withAdministration(flags, (accounts) => accounts.eventsAfter(after, limit))) {
          showEvent(output, each);
        }
      }),
    );
}

export function showEvent(output: Output, each: AuditEvent): void {
  const { id, account, event, actor, address, details, created_at } = each;
  output.record(eventRecord.build(each));
  const who = `${actor}${address === null ? '' : ` (${address})`}`;
  output.print(`${new Date(created_at).toISOString()} ${id} ${account}: ${event} by ${who} ${JSON.stringify(details)}`);
}
