/** States in which something does not work, and what the commands say of them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { startService } from '../../service/serve.ts';
import { claimMessage, enqueue, postponeMessage } from '../../src/ledger/notices/queue.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { courier, ofType } from '../support/cli.ts';
import { emptyDatabaseUrl } from '../support/database.ts';
import { secureTemporal } from '../support/secured-temporal.ts';
import { AMPLE } from '../support/service.ts';
import { openShopFolder } from '../support/shop-folder.ts';
import { temporalAddress } from '../support/temporal.ts';

async function openFolder(t: TestContext, address: string): Promise<string> {
  const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite'), settings: { budgets: AMPLE } });
  t.after(() => service.close());
  return openShopFolder(t, service, address);
}

describe('a state in which something does not work', () => {
  test('a Temporal server that refuses requests: doctor and status --check say so, and end', async (t) => {
    const denial = { code: 8, message: 'namespace rate limit exceeded' };
    const deny = (method: string) => (method.endsWith('/GetSystemInfo') ? null : denial);
    const { address } = await secureTemporal(t, { target: await temporalAddress(t), deny });
    const folder = await openFolder(t, address);
    const checked = await courier(folder, 'status', '--check');
    assert.equal(checked.code, 5);
    assert.deepEqual(
      ofType(checked, 'problem').map(({ subject }) => subject),
      ['temporal'],
    );
    const doctor = await courier(folder, 'doctor', '--no-sitemaps');
    const findings = ofType(doctor, 'finding').filter(({ check }) => check === 'temporal');
    assert.equal(findings.at(-1)?.level, 'fail');
    assert.match(String(findings.at(-1)?.message), /^the server refuses requests, or answers too late/);
    assert.equal(ofType(doctor, 'finding').at(-1)?.check, 'runs', 'what comes after it is looked at, too');
  });

  test('a port of the listener that is taken: the worker ends with 5 and names it', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    t.after(() => other.close());
    const { port } = other.address() as AddressInfo;
    const folder = await openFolder(t, await temporalAddress(t));
    appendFileSync(join(folder, 'courier.yaml'), `admin: { port: ${port} }\n`);
    const worker = await courier(folder, 'worker');
    assert.equal(worker.code, 5, worker.stderr);
    assert.match(worker.stderr, new RegExp(`listener of admin cannot open 127.0.0.1:${port}: .*Nothing was started`));
  });

  test('a channel that takes no messages is a problem of status --check and doctor', async (t) => {
    const folder = await openFolder(t, await temporalAddress(t));
    appendFileSync(
      join(folder, 'courier.yaml'),
      'notify: { channels: { ops: { webhook: { url: "http://127.0.0.1:9/" } } } }\n',
    );
    const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
    await ledger.db.tx((tx) =>
      enqueue(tx, { event: randomUUID(), channel: 'ops', message: '{}', at: ledger.now() - 1 }),
    );
    const claimed = await claimMessage(ledger);
    await postponeMessage(ledger, claimed?.id ?? 0, ledger.now() + 60_000, 'connect ECONNREFUSED');
    await ledger.close();
    const checked = await courier(folder, 'status', '--check');
    assert.equal(checked.code, 3);
    const [problem] = ofType(checked, 'problem');
    assert.equal(problem?.subject, 'ops');
    assert.match(String(problem?.problem), /not delivered: connect ECONNREFUSED/);
    const doctor = await courier(folder, 'doctor', '--no-sitemaps');
    const [finding] = ofType(doctor, 'finding').filter(({ check }) => check === 'notifications');
    assert.deepEqual([finding?.level, finding?.subject], ['fail', 'ops']);
  });
});
