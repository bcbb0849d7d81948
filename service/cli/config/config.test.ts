import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { SettingsError } from '../../settings-error.ts';
import { findUnknownVariables } from './environment.ts';
import { readSettings } from './file.ts';
import { REFERENCE_FILE, renderReference } from './reference.ts';
import { listSettings, type Setting } from './schema.ts';
import { toSettings } from './to-settings.ts';

/** A value that fits a setting and is not its default. */
function exampleOf({ key, schema }: Setting): string {
  if (key.endsWith('endpoint')) return 'https://example.com/x';
  if (key === 'index_check_price') return '0.75';
  if (key === 'path_prefix') return '/indexing';
  if (schema.enum !== undefined) return schema.enum.find((value) => value !== schema.default) ?? '';
  if (schema.type === 'boolean') return String(schema.default !== true);
  if (schema.type === 'integer' || schema.type === 'number') return '4321';
  return schema.type === 'array' ? '10.0.0.1, 10.0.0.2' : 'text';
}

const allVariables = () => Object.fromEntries(listSettings().map((each) => [each.variable, exampleOf(each)]));

function writeConfig(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'courier-config-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'service.yaml'), text);
  return join(folder, 'service.yaml');
}

describe('settings of the service', () => {
  test('every setting has an environment variable of its own, a description, and reaches the file', () => {
    const settings = listSettings();
    assert.equal(new Set(settings.map(({ variable }) => variable)).size, settings.length);
    const read = readSettings(undefined, allVariables()) as Record<string, unknown>;
    for (const { key, schema, ...each } of settings) {
      assert.ok((schema.description ?? '') !== '', `${key} has no description`);
      const value = key.split('.').reduce<unknown>((tree, name) => (tree as Record<string, unknown>)[name], read);
      const wanted = exampleOf({ key, schema, ...each });
      assert.equal(Array.isArray(value) ? value.join(', ') : String(value), wanted, key);
    }
  });

  test('a length that a timer cannot wait is refused, and a deadline of months is not', (t) => {
    for (const text of ['stop_ms: 2147483648', 'processing: { sweep_ms: 3000000000 }', 'postgres: { lock_ms: 1e10 }']) {
      assert.throws(() => readSettings(writeConfig(t, text), {}), SettingsError, text);
    }
    const file = writeConfig(t, 'processing: { deadlines: { standard_ms: 7776000000 } }');
    assert.equal(toSettings(readSettings(file, {}), {}).processing?.deadlines?.standard, 7_776_000_000);
  });

  test('every setting changes what the service runs with', () => {
    const unused = listSettings().filter((setting) => {
      // These are read by the command itself, beside the settings.
      if (/^(database|host|port|temporal\.)/.test(setting.key)) return false;
      const env: NodeJS.ProcessEnv = { ...allVariables(), text: 'secret' };
      const other = exampleOf(setting) === '4321' ? '1234' : '';
      const before = JSON.stringify(toSettings(readSettings(undefined, env), env));
      if (setting.key === 'tls.cert_file' || setting.key === 'tls.key_file') env[setting.variable] = 'other';
      else if (setting.key === 'index_check.brave.token.file') env.COURIER_SERVICE_INDEX_CHECK_BRAVE_TOKEN_ENV = '';
      else if (/indexnow\.key$|brave\.token\.env$/.test(setting.key)) env[setting.variable] = 'other';
      else if (setting.key.endsWith('endpoint')) env[setting.variable] = 'https://example.org/';
      else env[setting.variable] = other;
      try {
        return JSON.stringify(toSettings(readSettings(undefined, env), env)) === before;
      } catch (error) {
        // It was read: the secret that it names is not there.
        return !(error instanceof SettingsError && /secret/.test(error.message));
      }
    });
    assert.deepEqual(
      unused.map(({ key }) => key),
      [],
    );
  });

  test('the environment overrides single settings of the file', (t) => {
    const file = writeConfig(t, 'stop_ms: 1000\nbudgets: { minute: { limit: 7, window_ms: 1000 } }\nport: 1\n');
    const env = { COURIER_SERVICE_BUDGETS_MINUTE_LIMIT: '9', COURIER_SERVICE_PORT: '' };
    const read = readSettings(file, env);
    assert.deepEqual(read.budgets?.minute, { limit: 9, window_ms: 1000 });
    assert.equal(read.port, 1);
    assert.equal(toSettings(read, env).stopMs, 1000);
    assert.deepEqual(toSettings(read, env).budgets?.minute, { limit: 9, windowMs: 1000 });
  });

  test('an invalid value is rejected with the name of its variable', () => {
    const wrong: [NodeJS.ProcessEnv, RegExp][] = [
      [{ COURIER_SERVICE_PORT: 'tcp://10.0.0.1:80' }, /COURIER_SERVICE_PORT must be a number.*enableServiceLinks/],
      [{ COURIER_SERVICE_BUDGETS_HOUR_LIMIT: '3.000' }, /must be a number, in digits alone, not "3\.000"/],
      [{ COURIER_SERVICE_HTTPS: 'yes' }, /COURIER_SERVICE_HTTPS must be true or false/],
      [{ COURIER_SERVICE_PORT: '99999' }, /port must be <= 65535/],
      [{ COURIER_SERVICE_PATH_PREFIX: 'indexing/' }, /path_prefix must match pattern/],
      [{ COURIER_SERVICE_TLS_CERT_FILE: 'cert.pem' }, /tls.*key_file/],
    ];
    for (const [env, said] of wrong) assert.throws(() => readSettings(undefined, env), said);
  });

  test('a price that is read in two ways is refused, with both', () => {
    const env = { COURIER_SERVICE_INDEX_CHECK_PRICE: '1.500' };
    assert.throws(
      () => toSettings(readSettings(undefined, env), env),
      /index_check_price: "1\.500" can be read as two amounts\. Write 1500TRY or 1\.50TRY/,
    );
  });

  test('a misspelt variable is reported; a variable of a configured secret is not', () => {
    const env = { COURIER_SERVICE_PROT: '1', COURIER_SERVICE_BRAVE: 'x', COURIER_SERVICE_PORT: '1', OTHER: '1' };
    assert.deepEqual(findUnknownVariables(env, ['COURIER_SERVICE_BRAVE']), ['COURIER_SERVICE_PROT']);
  });

  test('the reference page matches the schema', () => {
    assert.equal(readFileSync(REFERENCE_FILE, 'utf8'), renderReference(), 'run: npm run docs:config');
  });
});
