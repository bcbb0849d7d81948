import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { describe, test } from 'node:test';
import { createAuthority } from '../../test/support/certificates.ts';
import { checkTls } from './tls-files.ts';

const { crt, key } = (() => {
  const { cert, key } = createAuthority('test').issue({ name: 'worker' });
  return { crt: Buffer.from(cert), key };
})();
const check = (pem: string) => checkTls({ clientCertPair: { crt, key: Buffer.from(pem) } }, Date.now());

describe('the private key of a client certificate', () => {
  test('may be stored as it is', () => {
    assert.ok((check(key) ?? 0) > Date.now());
  });

  test('with a passphrase: says that none can be given', () => {
    const pem = createPrivateKey(key).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' });
    assert.throws(() => check(pem.toString()), /encrypted with a passphrase, which cannot be given/);
  });

  test('that is none: says which file', () => {
    assert.throws(() => check('none'), /The file of temporal\.tls\.key does not hold a private key/);
  });
});
