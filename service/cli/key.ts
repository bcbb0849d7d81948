import type { Command } from 'commander';
import type { ApiKey, CreatedKey } from '../accounts/keys.ts';
import { run } from './command.ts';
import { type DatabaseFlags, databaseCommand, withAdministration } from './database.ts';
import { wholeNumber } from './numbers.ts';
import type { Output } from './output.ts';

const HOUR_MS = 60 * 60 * 1_000;

const isoOrNull = (time: number | null) => (time === null ? null : new Date(time).toISOString());

function showCreated(output: Output, key: CreatedKey): void {
  output.record({ type: 'key', id: key.id, name: key.name, prefix: key.prefix, api_key: key.apiKey });
  output.print(`${key.id}: ${key.apiKey}\nKeep it now: only its hash is stored, it cannot be shown again.`);
}

function show(output: Output, key: ApiKey): void {
  const revoked = isoOrNull(key.revokedAt);
  output.record({
    type: 'key',
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    created_at: isoOrNull(key.createdAt),
    expires_at: isoOrNull(key.expiresAt),
    replaced_by: key.replacedBy,
    revoked_at: revoked,
  });
  output.print(
    `${key.id}: ${key.prefix}… "${key.name}"${revoked === null ? '' : `, revoked ${revoked}`}${key.expiresAt === null ? '' : `, expires ${isoOrNull(key.expiresAt)}`}`,
  );
}

export function addKey(program: Command): void {
  const key = program.command('key').description('API keys: create, list, revoke, regenerate');
  const verb = (name: string, description: string) => databaseCommand(key, name, description);

  verb('create', 'make a key; shown this once')
    .requiredOption('--account <name>', 'name of the account')
    .option('--name <name>', 'what the key is for', 'API key')
    .action((flags: DatabaseFlags & { account: string; name: string }) =>
      run(flags, async (output) => {
        const created = await withAdministration(flags, async (accounts) => {
          const { id } = await accounts.account(flags.account);
          return accounts.createKey({ account: id, name: flags.name });
        });
        showCreated(output, created);
      }),
    );

  verb('list', 'list the keys of an account, revoked ones too')
    .requiredOption('--account <name>', 'name of the account')
    .action((flags: DatabaseFlags & { account: string }) =>
      run(flags, async (output) => {
        for (const each of await withAdministration(flags, (accounts) => accounts.keys(flags.account)))
          show(output, each);
      }),
    );

  verb('revoke', 'end a key: the next request with it is refused')
    .argument('<id>', 'id of the key')
    .action((id: string, flags: DatabaseFlags) =>
      run(flags, async (output) => show(output, await withAdministration(flags, (accounts) => accounts.revokeKey(id)))),
    );

  verb('regenerate', 'make a new key in the place of another; shown this once')
    .argument('<id>', 'id of the key')
    .option('--grace-hours <hours>', 'how long the old key still works (0)', wholeNumber)
    .action((id: string, flags: DatabaseFlags & { graceHours?: number }) =>
      run(flags, async (output) => {
        const graceMs = (flags.graceHours ?? 0) * HOUR_MS;
        showCreated(output, await withAdministration(flags, (accounts) => accounts.regenerateKey(id, { graceMs })));
      }),
    );
}
