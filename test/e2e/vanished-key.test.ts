/** A key file that vanishes while `courier run --wait` follows a job. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../src/database/sql.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { ended, ofType, publish, startCourier } from '../support/cli.ts';
import { openService } from '../support/service.ts';
import { openShopFolder } from '../support/shop-folder.ts';
import { temporalAddress } from '../support/temporal.ts';

describe('a key file that vanishes under "run --wait"', () => {
  test('is named at once; the run waits for it, and ends with 0 once it is back', async (t) => {
    const address = await temporalAddress(t);
    const { service, db } = await openService(t, 'sqlite', {
      temporal: { address, namespace: 'default', taskQueue: `service-${randomUUID()}` },
      simulated: { fastMs: 500, standardMs: 500 },
    });
    const folder = await openShopFolder(t, service, address);
    const file = join(folder, 'courier.yaml');
    const soon = '{ first: 15s, min: 1s, max: 2s }';
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(
        'file: key } }',
        `file: key }, tracking: { fast: ${soon}, standard: ${soon} } }`,
      ),
    );
    publish(folder, ['1', '2']);
    const key = join(folder, 'key');
    const secret = readFileSync(key);
    const child = startCourier(folder, 'run', '--once', '--wait');
    const run = ended(child);
    let stderr = '';
    child.stderr?.on('data', (chunk) => {
      stderr += String(chunk);
    });
    const until = async (what: string, holds: () => boolean | Promise<boolean>) => {
      for (const limit = Date.now() + 90_000; !(await holds()); await pause(100))
        assert.ok(Date.now() < limit && child.exitCode === null, `${what}: ${stderr}`);
    };
    const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
    t.after(() => ledger.close());
    const isAccepted = async () =>
      (await ledger.db.get(sql`SELECT 1 FROM batches WHERE state = 'accepted'`)) !== undefined;
    await until('the service accepts the batch', isAccepted);
    rmSync(key);
    await until('the missing key is named', () => /shop: The secret file \S+key cannot be read/.test(stderr));
    writeFileSync(key, secret);
    const { code, records } = await run;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /The run waits for it\.\n.*can be read again; the run continues/s);
    const [record] = ofType({ code, records, stderr }, 'run');
    assert.equal((record?.result as { completed: number } | undefined)?.completed, 2);
    const { urls } = await db.one(sql<{ urls: number }>`SELECT count(*) AS urls FROM submission_urls`);
    assert.equal(Number(urls), 2, 'bought once');
  });
});
