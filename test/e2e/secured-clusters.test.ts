/** A Temporal server behind TLS: what works, and what is said when it does not. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { connectClient } from '../../src/temporal/connect.ts';
import type { TlsFiles } from '../../src/temporal/tls-files.ts';
import { type Certificate, createAuthority } from '../support/certificates.ts';
import { type SecuredOptions, secureTemporal } from '../support/secured-temporal.ts';
import { temporalAddress } from '../support/temporal.ts';

const authority = createAuthority('courier test authority');
const other = createAuthority('another authority');
const HOSTS = ['localhost', '127.0.0.1', 'temporal.internal'];

const server = (t: TestContext, options: Partial<SecuredOptions> = {}) =>
  temporalAddress(t).then((target) =>
    secureTemporal(t, { target, certificate: authority.issue({ name: 'server', hosts: HOSTS }), ...options }),
  );

/** Writes files and returns their settings. */
function write(t: TestContext, { ca, client, key }: { ca?: string; client?: Certificate; key?: string }): TlsFiles {
  const folder = mkdtempSync(join(tmpdir(), 'courier-tls-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string, text: string | undefined) => {
    if (text === undefined) return null;
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  return {
    ca: file('ca.pem', ca),
    cert: file('cert.pem', client?.cert),
    key: file('key.pem', key ?? client?.key),
    serverName: null,
  };
}

/** A handshake that fails is tried until the time is over. */
const REFUSED = { timeoutMs: 1_000 };

/** Connects and asks for the namespace. */
async function use(
  address: string,
  tls: TlsFiles | null,
  { apiKey = null, timeoutMs = 10_000 }: { readonly apiKey?: (() => string) | null; readonly timeoutMs?: number } = {},
): Promise<void> {
  const namespace = 'default';
  const connected = await connectClient({ address, namespace, tls, apiKey }, { timeoutMs });
  try {
    await connected.client.workflowService.describeNamespace({ namespace });
  } finally {
    await connected.connection.close();
  }
}

describe('a Temporal server behind TLS', () => {
  test('is used with the file of its authority, and with a name for an address without one', async (t) => {
    const { address } = await server(t);
    const tls = write(t, { ca: authority.cert });
    await use(address, tls);
    const named = await server(t, { certificate: authority.issue({ name: 's', hosts: ['temporal.internal'] }) });
    await use(named.address, { ...tls, serverName: 'temporal.internal' });
  });

  test('that asks for client certificates (mTLS) sees that of the configuration', async (t) => {
    const { address, clients } = await server(t, { clientCa: authority.cert });
    const client = authority.issue({ name: 'courier' });
    await use(address, write(t, { ca: authority.cert, client }));
    assert.deepEqual([...clients], [new X509Certificate(client.cert).serialNumber]);
  });

  const mtls: Partial<SecuredOptions> = { clientCa: authority.cert };
  const refusals: readonly {
    readonly what: string;
    readonly secured?: Partial<SecuredOptions>;
    readonly files?: Parameters<typeof write>[1];
    readonly says: RegExp;
  }[] = [
    { what: 'no TLS', says: /speaks TLS, and this connection does not\..*Add temporal\.tls/ },
    {
      what: 'the certificate of an authority that the system does not know',
      files: {},
      says: /of an authority that the system does not know .*Configure the file of its authority as temporal\.tls\.ca/,
    },
    {
      what: 'another authority',
      files: { ca: other.cert },
      says: /of an authority that temporal\.tls\.ca does not name/,
    },
    {
      what: 'a certificate of another name',
      secured: { certificate: authority.issue({ name: 's', hosts: ['other.example'] }) },
      files: { ca: authority.cert },
      says: /no certificate for the name 127\.0\.0\.1, but for DNS:other\.example.*set temporal\.tls\.server_name/,
    },
    {
      what: 'a certificate of the server that has expired',
      secured: { certificate: authority.issue({ name: 's', hosts: HOSTS, days: [-9, -2] }) },
      files: { ca: authority.cert },
      says: /certificate of the Temporal server .* has expired.*Let its operator renew it/,
    },
    {
      what: 'no client certificate',
      secured: mtls,
      files: { ca: authority.cert },
      says: /most likely because it asks for a client certificate.*Configure temporal\.tls\.cert/,
    },
    {
      what: 'a client certificate of another authority',
      secured: mtls,
      files: { ca: authority.cert, client: other.issue({ name: 'courier' }) },
      says: /does not accept the client certificate of temporal\.tls\.cert/,
    },
    {
      what: 'a client certificate that has expired',
      secured: mtls,
      files: { ca: authority.cert, client: authority.issue({ name: 'courier', days: [-9, -2] }) },
      says: /Since .* the client certificate .* is no longer valid.*Renew it and replace both files/,
    },
    {
      what: 'a client certificate that is not valid yet',
      secured: mtls,
      files: { ca: authority.cert, client: authority.issue({ name: 'courier', days: [2, 9] }) },
      says: /Before .* is not valid.*Check the clock/,
    },
    {
      what: 'the key of another certificate',
      secured: mtls,
      files: {
        ca: authority.cert,
        client: authority.issue({ name: 'courier' }),
        key: authority.issue({ name: 'other' }).key,
      },
      says: /private key of temporal\.tls\.key does not belong to the client certificate/,
    },
    {
      what: 'a file that holds no certificate',
      files: { ca: 'ca' },
      says: /temporal\.tls\.ca\) does not hold a certificate.*PEM format/,
    },
  ];
  for (const { what, secured = {}, files, says } of refusals) {
    test(`${what}: the error says so, that nothing was charged, and what to do`, async (t) => {
      const { address } = await server(t, secured);
      await assert.rejects(use(address, files === undefined ? null : write(t, files), REFUSED), (error: Error) => {
        assert.equal(error.name, 'TemporalAccessError', error.stack);
        assert.match(error.message, says);
        assert.match(error.message, /Nothing was submitted or charged/);
        return true;
      });
    });
  }

  test('a file that is not there, and a server without TLS, are named', async (t) => {
    const tls = write(t, { ca: authority.cert });
    const target = await temporalAddress(t);
    await assert.rejects(use(target, { ...tls, ca: '/nonexistent/ca.pem' }), {
      name: 'TemporalAccessError',
      message: /\/nonexistent\/ca\.pem of temporal\.tls\.ca cannot be read \(ENOENT\)/,
    });
    await assert.rejects(use(target, tls, REFUSED), { name: 'TemporalAccessError', message: /does not speak TLS/ });
  });

  test('a server that is not there is not a matter of TLS', async (t) => {
    await assert.rejects(use('127.0.0.1:9', write(t, { ca: authority.cert }), REFUSED), {
      name: 'TemporalUnreachableError',
    });
    await assert.rejects(use('127.0.0.1:9', null, REFUSED), { name: 'TemporalUnreachableError' });
  });
});

describe('a Temporal server with API keys', () => {
  const GOOD = 'key-1';
  const checkKey: SecuredOptions['deny'] = (_, { authorization }) =>
    authorization === `Bearer ${GOOD}` ? null : { code: 16, message: 'Jwt is not valid' };

  test('takes the key of the configuration, and a refusal says what to check', async (t) => {
    const { address } = await server(t, { deny: checkKey });
    const tls = write(t, { ca: authority.cert });
    await use(address, tls, { apiKey: () => GOOD });
    await assert.rejects(use(address, tls, { apiKey: () => 'key-2' }), {
      name: 'TemporalAccessError',
      message: /does not accept the API key or certificate .*Jwt is not valid.*Check temporal\.api_key/,
    });
  });

  test('never gets a key without TLS', async (t) => {
    await assert.rejects(use(await temporalAddress(t), null, { ...REFUSED, apiKey: () => GOOD }), {
      message: /does not speak TLS/,
    });
  });

  test('a denied permission names the namespace and its administrator', async (t) => {
    const { address } = await server(t, { deny: () => ({ code: 7, message: 'Request unauthorized.' }) });
    await assert.rejects(use(address, write(t, { ca: authority.cert })), {
      name: 'TemporalAccessError',
      message: /denies a permission .*Request unauthorized.*Check temporal\.namespace, and let an administrator/,
    });
  });
});
