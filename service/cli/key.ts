import type { Command } from 'commander';
import { parseWholeNumber } from '../../src/cli-kit/arguments.ts';
import type { Output } from '../../src/cli-kit/output.ts';
import { toInstantOrNull } from '../../src/cli-kit/record-schema.ts';
import type { ApiKey, CreatedKey } from '../accounts/keys.ts';
import { administer, databaseCommand, type Named } from './database.ts';
import { toKeyRecord } from './records.ts';

const HOUR_MS = 60 * 60 * 1_000;

function showCreated(output: Output, key: CreatedKey): void {
  warnWhenUnread(output, key.id);
  output.record(toKeyRecord(key));
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
  const revoked = toInstantOrNull(key.revokedAt);
  output.record(toKeyRecord(key));
  output.print(
    `${key.id}: ${key.prefix}… "${key.name}"${revoked === null ? '' : `, revoked ${revoked}`}${key.expiresAt === null ? '' : `, expires ${toInstantOrNull(key.expiresAt)}`}`,
  );
}

export function keyCommand(key: Command): void {
  databaseCommand(key, 'create', 'make a key; shown this once')
    .requiredOption('--account <name>', 'name of the account')
    .option('--name <name>', 'what the key is for', 'API key')
    .action(
      administer<Named & { account: string }>(async ({ output, accounts }, { account, name }) => {
        const { id } = await accounts.account(account);
        showCreated(output, await accounts.createKey({ account: id, name }));
      }),
    );

  databaseCommand(key, 'list', 'list the keys of an account, revoked ones too')
    .requiredOption('--account <name>', 'name of the account')
    .action(
      administer<{ account: string }>(async ({ output, accounts }, { account }) => {
        for (const each of await accounts.keys(account)) show(output, each);
      }),
    );

  databaseCommand(key, 'revoke', 'end a key: the next request with it is refused')
    .argument('<id>', 'id of the key')
    .action(
      administer<object, [id: string]>(async ({ output, accounts }, id) => show(output, await accounts.revokeKey(id))),
    );

  databaseCommand(key, 'regenerate', 'make a new key in the place of another; shown this once')
    .argument('<id>', 'id of the key')
    .option('--grace-hours <hours>', 'how long the old key still works (0)', parseWholeNumber)
    .action(
      administer<{ graceHours?: number }, [id: string]>(async ({ output, accounts }, id, { graceHours = 0 }) =>
        showCreated(output, await accounts.regenerateKey(id, { graceMs: graceHours * HOUR_MS })),
      ),
    );
}
