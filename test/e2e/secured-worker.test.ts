/** A worker and commands on a server with mTLS and API keys, whose credentials are rotated while the worker runs. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startService } from '../../service/serve.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openConnector } from '../../src/connector/connector.ts';
import { toTemporalSettings } from '../../src/connector/temporal-server.ts';
import { createLogger } from '../../src/observability/log.ts';
import { createAuthority } from '../support/certificates.ts';
import { courier, ofType, publish } from '../support/cli.ts';
import { emptyDatabaseUrl } from '../support/database.ts';
import { secureTemporal } from '../support/secured-temporal.ts';
import { AMPLE } from '../support/service.ts';
import { openShopFolder } from '../support/shop-folder.ts';
import { temporalAddress } from '../support/temporal.ts';

const authority = createAuthority('courier test authority');

describe('a Temporal server that asks for a certificate and an API key', () => {
  test('runs before and after both are rotated, with a worker that is not restarted', async (t) => {
    let valid = 'Bearer key-1';
    const secured = await secureTemporal(t, {
      target: await temporalAddress(t),
      certificate: authority.issue({ name: 'server', hosts: ['127.0.0.1'] }),
      clientCa: authority.cert,
      deny: (_, { authorization }) => (authorization === valid ? null : { code: 16, message: 'Jwt is not valid' }),
    });
    const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite'), settings: { budgets: AMPLE } });
    t.after(() => service.close());
    const folder = await openShopFolder(t, service, secured.address);
    const file = join(folder, 'courier.yaml');
    const inFolder = (name: string, text: string) => writeFileSync(join(folder, name), text);
    const rotateCertificate = () => {
      const client = authority.issue({ name: 'courier' });
      inFolder('cert.pem', client.cert);
      inFolder('key.pem', client.key);
      return new X509Certificate(client.cert).serialNumber;
    };
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(
        'namespace: default }',
        'namespace: default, tls: { ca: ca.pem, cert: cert.pem, key: key.pem }, api_key: { file: temporal.key } }',
      ),
    );
    inFolder('ca.pem', authority.cert);
    inFolder('temporal.key', 'key-1\n');
    rotateCertificate();

    const config = loadConfig(file);
    const connector = await openConnector(config, toTemporalSettings(config), createLogger('silent', 'test'));
    const working = connector.run();
    t.after(async () => {
      connector.stop();
      await working;
    });
    const run = async (pages: readonly string[]) => {
      publish(folder, pages);
      const ended = await courier(folder, 'run');
      assert.equal(ended.code, 0, ended.stderr);
      return ofType(ended, 'run').map(({ result }) => (result as { submitted: number }).submitted);
    };
    assert.deepEqual(await run(['1', '2', '3']), [3]);

    valid = 'Bearer key-2';
    inFolder('temporal.key', 'key-2\n');
    await connector.refreshCredentials();
    assert.deepEqual(await run(['1', '2', '3', '4']), [1], 'with the new key');

    const serial = rotateCertificate();
    await connector.refreshCredentials();
    assert.ok(secured.clients.has(serial), 'the worker has connected with the new certificate');
    secured.dropConnections();
    assert.deepEqual(await run(['1', '2', '3', '4', '5']), [1], 'with the new certificate');

    inFolder('temporal.key', 'key-3\n');
    const refused = await courier(folder, 'run');
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, /does not accept the API key.*Jwt is not valid/);
    const doctor = await courier(folder, 'doctor', '--no-sitemaps');
    const [finding] = ofType(doctor, 'finding').filter(({ check }) => check === 'temporal');
    assert.equal(doctor.code, 3);
    assert.match(String(finding?.message), /does not accept the API key or certificate/);
    assert.match(String(finding?.next), /Check temporal\.api_key/);

    inFolder('temporal.key', 'key-2\n');
    const sound = await courier(folder, 'doctor', '--no-sitemaps');
    const messages = ofType(sound, 'finding').filter(({ check }) => check === 'temporal');
    assert.deepEqual(
      messages.map(({ level }) => level),
      ['ok', 'ok'],
      JSON.stringify(messages),
    );
    assert.match(String(messages.at(-1)?.message), /client certificate is valid until/);

    inFolder('cert.pem', authority.issue({ name: 'courier', days: [-9, -2] }).cert);
    const expired = await courier(folder, 'status');
    assert.equal(expired.code, 0, 'the ledger is read all the same');
    assert.match(expired.stderr, /no longer valid|does not belong/);
  });
});
