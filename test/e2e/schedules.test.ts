import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { readConfig } from '../../src/config/load.ts';
import { reconcileSchedules } from '../../src/connector/schedules.ts';
import type { WatchId } from '../../src/submission/ids.ts';
import { watchScheduleId } from '../../src/temporal-api/ids.ts';
import { withWorker } from '../support/temporal.ts';

const config = (watch: string, settings: string) =>
  readConfig(
    `version: 1
accounts: { main: { base_url: "https://x.example/api/v1", api_key: { env: X } } }
watches:
  ${watch}: { account: main, sitemaps: ["https://shop.example/sitemap.xml"], ${settings} }`,
    'courier.yaml',
  );

test('schedules follow the configuration; a pause by a person outlives it', async (t) => {
  const { client } = await withWorker(t, {});
  const watch = `w${randomUUID().slice(0, 8)}`;
  const id = watchScheduleId(watch as WatchId);
  const handle = client.schedule.getHandle(id);
  const scheduled = 'schedule: { cron: "30 4 * * *", timezone: Europe/Istanbul }';

  const created = await reconcileSchedules(client, config(watch, scheduled));
  assert.deepEqual(
    created.filter((change) => change.id === id),
    [{ id, change: 'created' }],
  );
  const first = await handle.describe();
  assert.equal(first.policies.overlap, 'SKIP');
  assert.equal(first.policies.catchupWindow, 6 * 3_600_000);
  assert.equal(first.info.nextActionTimes[0]!.toISOString().slice(11, 16), '01:30');

  await handle.pause('while the shop moves');
  await reconcileSchedules(client, config(watch, scheduled.replace('30 4', '45 5')));
  const moved = await handle.describe();
  assert.equal(moved.info.nextActionTimes[0]!.toISOString().slice(11, 16), '02:45');
  assert.deepEqual([moved.state.paused, moved.state.note], [true, 'while the shop moves']);

  await handle.unpause('moved');
  await reconcileSchedules(client, config(watch, `${scheduled}, paused: true`));
  assert.equal((await handle.describe()).state.paused, true);
  await reconcileSchedules(client, config(watch, scheduled));
  assert.equal((await handle.describe()).state.paused, false);

  await reconcileSchedules(client, config('another-watch', 'paused: false'));
  const orphan = await handle.describe();
  assert.deepEqual([orphan.state.paused, orphan.state.note], [true, 'no longer in the configuration']);
  await handle.delete();
});
