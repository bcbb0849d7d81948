import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { AccountId, WatchId } from '../submission/ids.ts';
import { ConfigError } from './config-error.ts';
import { readConfig } from './load.ts';
import { readApiKey, readSecret, SecretMissingError } from './secrets.ts';

const KEY = 'usk_Ogq4vjDv8yWrP636ePC57sV2brZRIOvlbpszvvS6iIC46PqEV';

const config = (account: string, watch = '') => `version: 1
accounts:
  main: { base_url: https://indexing.example/api/v1, api_key: { env: COURIER_API_KEY }${account} }
watches:
  shop: { account: main, sitemaps: [https://shop.example/sitemap.xml]${watch} }
`;

/** All text that a program could print about the error. */
function complaint(text: string): string {
  try {
    readConfig(text, 'courier.yaml');
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return `${error.message} ${JSON.stringify(error.problems)} ${error.stack}`;
  }
  return '';
}

describe('secrets', () => {
  test('rejects a key in place of a name without repeating it', () => {
    const good = config('');
    for (const [where, text] of [
      ['env', good.replace('COURIER_API_KEY', KEY)],
      ['an unknown setting', good.replace('env: COURIER_API_KEY', `${KEY}: true`)],
      ['the setting itself', good.replace('{ env: COURIER_API_KEY }', KEY)],
      ['an account name', good.replace('main:', `${KEY}:`)],
      ['an account that a watch names', good.replace('account: main', `account: ${KEY}`)],
      ['the address', good.replace('https://indexing', `https://user:${KEY}@indexing`)],
      ['a service level', config('', `, service: ${KEY}`)],
      ['a price', config(`, price_per_url: ${KEY}`)],
      ['a schedule', config('', `, schedule: { cron: "30 4 * * *", timezone: ${KEY} }`)],
      ['twice the same', `${good}  ${KEY}: 1\n  ${KEY}: 2\n`],
    ] as const) {
      const said = complaint(text);
      assert.notEqual(said, '', `${where} passed as good`);
      assert.doesNotMatch(said, /Ogq4vjDv8y/, where);
    }
  });

  test('does not repeat a key written as a file path when the file is missing', () => {
    const { accounts } = readConfig(config('').replace('env: COURIER_API_KEY', `file: ${KEY}`), 'courier.yaml');
    const account = accounts.get('main' as AccountId);
    assert.ok(account !== undefined);
    assert.throws(
      () => readSecret(account.apiKey),
      (error: unknown) => error instanceof SecretMissingError && !error.message.includes('Ogq4vjDv8y'),
    );
  });

  test('shows ordinary names', () => {
    assert.match(
      complaint(config('').replace('account: main', 'account: a-rather-long-account-name-2026')),
      /a-rather-long-account-name-2026/,
    );
    assert.throws(
      () => readSecret({ env: 'COURIER_API_KEY_OF_PRODUCTION_EU_1' }),
      /COURIER_API_KEY_OF_PRODUCTION_EU_1/,
    );
  });

  test('resolves a secret file relative to the configuration file, not the working directory', () => {
    const folder = mkdtempSync(join(tmpdir(), 'courier-secrets-'));
    writeFileSync(join(folder, 'courier.key'), 'usk_from_a_file\n');
    const text = config('', ', headers: { authorization: { file: courier.key } }').replace(
      'env: COURIER_API_KEY',
      'file: courier.key',
    );
    const { accounts, watches } = readConfig(text, join(folder, 'courier.yaml'));
    const account = accounts.get('main' as AccountId);
    assert.ok(account !== undefined);
    assert.equal(readSecret(account.apiKey), 'usk_from_a_file');
    const header = watches.get('shop' as WatchId)?.headers.authorization;
    assert.ok(header !== undefined && typeof header !== 'string');
    assert.equal(readSecret(header), 'usk_from_a_file');
  });
});

describe('masking of what looks like a key', () => {
  const KEY = 'usk_Ogq4vjDv8yWrP636ePC57sV2';
  const FOLDER = '/srv/shop_2026Release11AbcDefGhi';

  test('masks a key, and not the folder of the configuration or of a secret file', () => {
    const problem = { file: `${FOLDER}/courier.yaml`, path: `accounts.${KEY}`, line: 3, column: 5 };
    const { message } = new ConfigError(`${FOLDER}/courier.yaml`, [
      { ...problem, message: `${FOLDER}/sitemap.xml does not exist; "${KEY}" is no account` },
    ]);
    assert.ok(message.includes(`${FOLDER}/sitemap.xml`), message);
    assert.ok(!message.includes(KEY), message);
    assert.throws(() => readSecret({ file: `${FOLDER}/key` }), new RegExp(`${FOLDER}/key cannot be read`));
    assert.throws(
      () => readSecret({ file: `${FOLDER}/${KEY}` }),
      (error: Error) => error.message.includes(`${FOLDER}/[secret]`) && !error.message.includes(KEY),
    );
  });

  test('an API key that no header can carry counts as missing, says where it is, and is not repeated', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'courier-secrets-')), 'key');
    for (const wrong of [`Bearer ${KEY}`, `${KEY}\n${KEY}`, `${KEY}é`, `“${KEY}”`]) {
      writeFileSync(file, `${wrong}\n`);
      const says = (error: Error) =>
        error instanceof SecretMissingError && error.message.includes(file) && !error.message.includes(KEY);
      assert.throws(() => readApiKey({ file }), says, wrong);
    }
    writeFileSync(file, ` ${KEY}\n`);
    assert.equal(readApiKey({ file }), KEY);
  });
});
