import type { Command } from 'commander';
import { parseWholeNumber } from '../../src/cli-kit/arguments.ts';
import type { Output } from '../../src/cli-kit/output.ts';
import type { ApiKey, CreatedKey } from '../accounts/keys.ts';
import { run } from './command.ts';
import { type DatabaseFlags, databaseCommand, withAdministration } from './database.ts';
import { keyRecord } from './records.ts';

const HOUR_MS = 60 * 60 * 1_000;

const isoOrNull = (time: number | null) => (time === null ? null : new Date(time).toISOString());

function showCreated(output: Output, key: CreatedKey): void {
  warnWhenUnread(output, key.id);
  output.record(keyRecord.build(key));
  output.print(`${key.id}: ${key.apiKey}\nKeep it now: only its hash is stored, it cannot be shown again.`);
}

/** The key is shown this once: where nobody can read it, somebody must know which one to end. */
function warnWhenUnread(output: Output, id: string): void {
  const warn = () =>
    output.warn(
      `The key ${id} was made and not shown. End it with "courier-service key revoke ${id}", and make another one.`,
    );
  if (process.stdout.errored === null) process.stdout.once('error', warn);
  else warn();
}

function show(output: Output, key: ApiKey): void {
  const revoked = isoOrNull(key.revokedAt);
  output.record(keyRecord.build(key));
  output.print(
    `${key.id}: ${key.prefix}… "${key.name}"${revoked === null ? '' : `, revoked ${revoked}`}${key.expiresAt === null ? '' : `, expires ${isoOrNull(key.expiresAt)}`}`,
  );
}

export function keyCommand(key: Command): void {
  const verb = (name: string, description: string) => databaseCommand(key, name, description);

  verb('create', 'make a key; shown this once')
    .requiredOption('--account <name>', 'name of the account')
    .option('--name <name>', 'what the key is for', 'API key')
    .action(
      run(async (output, flags: DatabaseFlags & { account: string; name: string }) => {
        const created = await withAdministration(flags, async (accounts) => {
          const { id } = await accounts.account(flags.account);
          return accounts.createKey({ account: id, name: flags.name });
        });
        showCreated(output, created);
      }),
    );

  verb('list', 'list the keys of an account, revoked ones too')
    .requiredOption('--account <name>', 'name of the account')
    .action(
      run(async (output, flags: DatabaseFlags & { account: string }) => {
        for (const each of await withAdministration(flags, (accounts) => accounts.keys(flags.account)))
          show(output, each);
      }),
    );

  verb('revoke', 'end a key: the next request with it is refused')
    .argument('<id>', 'id of the key')
    .action(
      run(async (output, id: string, flags: DatabaseFlags) =>
        show(output, await withAdministration(flags, (accounts) => accounts.revokeKey(id))),
      ),
    );

  verb('regenerate', 'make a new key in the place of another; shown this once')
    .argument('<id>', 'id of the key')
    .option('--grace-hours <hours>', 'how long the old key still works (0)', parseWholeNumber)
    .action(
      run(async (output, id: string, flags: DatabaseFlags & { graceHours?: number }) => {
        const graceMs = (flags.graceHours ?? 0) * HOUR_MS;
        showCreated(output, await withAdministration(flags, (accounts) => accounts.regenerateKey(id, { graceMs })));
      }),
    );
}
