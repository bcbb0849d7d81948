import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { openService, type TestClient, urlList } from '../test/support/service.ts';
import { findDifferences } from './operations/audit.ts';

/** A file system of a few megabytes; null where this process must not mount one. */
function mountSmallDisk(t: TestContext): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'courier-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder]).status === 0;
  t.after(() => {
    if (mounted) spawnSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return mounted ? folder : null;
}

/** Takes what is left of the disk, to the last block. */
function fill(file: string): void {
  for (const size of [1_048_576, 65_536, 4_096, 512]) {
    try {
      for (;;) writeFileSync(file, randomBytes(size), { flag: 'a' });
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
    }
  }
}

describe('a full disk', () => {
  test('loses no money: rejected requests are not charged, reads still work, and the service recovers when there is space', async (t) => {
    const disk = mountSmallDisk(t);
    if (disk === null) {
      t.skip('a file system cannot be mounted here');
      return;
    }
    const { client, db } = await openService(t, 'sqlite', { database: `sqlite:${join(disk, 'service.db')}` });
    const submit = (name: string, urls: number) => client.post('/submissions', name, { urls: urlList(urls) });
    assert.equal((await submit('before-it-is-full', 1)).status, 202);
    fill(join(disk, 'filler'));

    const answers = await submitUntilRefused(client);
    const { status, headers, body } = answers.at(-1)!;
    assert.deepEqual([status, body.error?.code], [503, 'service_unavailable']);
    assert.match(body.message, /Nothing was charged; retry with the same key/);
    assert.ok(Number(headers.get('retry-after')) >= 1);
    const accepted = answers.filter((answer) => answer.status === 202).length;
    assert.equal(await client.balance(), 1000 - 0.25 - accepted * 250, 'reads still work, and a 503 costs nothing');
    assert.equal((await client.post('/index-check', 'check-on-full-disk', { urls: urlList(1) })).status, 503);
    assert.equal((await client.get('/submissions')).status, 200);
    assert.equal((await fetch(new URL('/healthz', client.baseUrl))).status, 200);
    assert.equal(await isAvailable(client), false);

    rmSync(join(disk, 'filler'));
    const repeated = await submit(`full-disk-${accepted}`, 1_000);
    assert.equal(repeated.status, 202, 'the same key is accepted and charged once there is space');
    assert.equal(await client.balance(), 1000 - 0.25 - (accepted + 1) * 250);
    assert.deepEqual(await findDifferences(db), []);
  });
});

/** Submissions of 1,000 URLs with keys full-disk-0, -1 and so on. The log of SQLite may have room for some. */
async function submitUntilRefused(client: TestClient) {
  const answers = [];
  for (let sent = 0; sent < 4; sent++) {
    const answer = await client.post('/submissions', `full-disk-${sent}`, { urls: urlList(1_000) });
    answers.push(answer);
    if (answer.status !== 202) break;
  }
  return answers;
}

/** Says false once the storage was probed again. */
async function isAvailable(client: TestClient): Promise<boolean> {
  const end = Date.now() + 5_000;
  for (;;) {
    const info = (await (await fetch(`${client.baseUrl}/`)).json()) as { data: { available: boolean } };
    if (!info.data.available || Date.now() > end) return info.data.available;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
