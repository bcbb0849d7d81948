import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { openService } from '../../test/support/service.ts';

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
const skip = hasOpenssl() ? false : 'openssl is not installed';

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'courier-tls-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A self-signed certificate for this name, as two files that replace what was there. */
function writeCertificate(folder: string, name: string): { certFile: string; keyFile: string } {
  const [cert, key] = [join(folder, 'new.crt'), join(folder, 'new.key')];
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', key, '-out', cert];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...files, ...subject], { stdio: 'ignore' });
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  renameSync(cert, certFile);
  renameSync(key, keyFile);
  return { certFile, keyFile };
}

async function getCertificateName(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { subject } = (socket as TLSSocket).getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

async function getOverTls(url: URL): Promise<{ status: number; headers: NodeJS.Dict<string | string[]> }> {
  const asked = request(url, { rejectUnauthorized: false }).end();
  const [response] = await once(asked, 'response');
  response.resume();
  return { status: response.statusCode, headers: response.headers };
}

describe('TLS by certificate files', () => {
  test('the service answers over TLS, with HSTS and Secure cookies, and not without it', { skip }, async (t) => {
    const tls = writeCertificate(makeFolder(t), 'first');
    const { service } = await openService(t, 'sqlite', { settings: { tls } });
    const base = new URL(`${service.baseUrl}/`);
    assert.equal(base.protocol, 'https:');
    const answer = await getOverTls(base);
    assert.equal(answer.status, 200);
    assert.match(String(answer.headers['strict-transport-security']), /max-age/);
    const page = await getOverTls(new URL('/', base));
    assert.match(String(page.headers['set-cookie']), /__Host-.*; Secure/);
    await assert.rejects(fetch(base.href.replace('https:', 'http:')));
  });

  test('a renewed certificate is used without a restart; a broken one is ignored', {
    skip,
  }, async (t) => {
    const folder = makeFolder(t);
    const tls = writeCertificate(folder, 'first');
    const { service } = await openService(t, 'sqlite', { settings: { tls } });
    const port = Number(new URL(service.baseUrl).port);
    assert.equal(await getCertificateName(port), 'first');
    writeCertificate(folder, 'second');
    const end = Date.now() + 15_000;
    while ((await getCertificateName(port)) !== 'second' && Date.now() < end) await sleep(200);
    assert.equal(await getCertificateName(port), 'second');
    writeFileSync(tls.keyFile, 'no key');
    await sleep(6_000);
    assert.equal(await getCertificateName(port), 'second');
  });

  test('unusable files stop the start with a message that says what to correct', { skip }, async (t) => {
    const folder = makeFolder(t);
    const { certFile } = writeCertificate(folder, 'first');
    const keyFile = join(folder, 'absent.key');
    await assert.rejects(
      openService(t, 'sqlite', { settings: { tls: { certFile, keyFile } } }),
      /TLS cannot be served.*absent\.key.*correct tls\.cert_file and tls\.key_file/s,
    );
  });
});
