import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { readConfig } from '../../src/config/load.ts';
import { reconcileSchedules } from '../../src/connector/schedules.ts';
import type { LedgerId, WatchId } from '../../src/submission/ids.ts';
import { checkScheduleId, watchScheduleId } from '../../src/temporal-api/ids.ts';
import { withWorker } from '../support/temporal.ts';

const LEDGER = 'ledger01' as LedgerId;

const config = (watch: string, settings: string) =>
  readConfig(
    `version: 1
accounts: { main: { base_url: "https://x.example/api/v1", api_key: { env: X } } }
watches:
  ${watch}: { account: main, sitemaps: ["https://shop.example/sitemap.xml"], ${settings} }`,
    'courier.yaml',
  );

describe('schedules', () => {
  test("schedules follow the configuration and keep an operator's pause", async (t) => {
    const { client } = await withWorker(t, {});
    const watch = `w${randomUUID().slice(0, 8)}`;
    const id = watchScheduleId(LEDGER, watch as WatchId);
    const handle = client.schedule.getHandle(id);
    const scheduled = 'schedule: { cron: "30 4 * * *", timezone: Europe/Istanbul }';

    const created = await reconcileSchedules(client, config(watch, scheduled), LEDGER);
    assert.deepEqual(
      created.filter((change) => change.id === id),
      [{ id, change: 'created' }],
    );
    const first = await handle.describe();
    assert.equal(first.policies.overlap, 'SKIP');
    assert.equal(first.policies.catchupWindow, 6 * 3_600_000);
    assert.equal(first.info.nextActionTimes[0]!.toISOString().slice(11, 16), '01:30');

    await handle.pause('while the shop moves');
    await reconcileSchedules(client, config(watch, scheduled.replace('30 4', '45 5')), LEDGER);
    const moved = await handle.describe();
    assert.equal(moved.info.nextActionTimes[0]!.toISOString().slice(11, 16), '02:45');
    assert.deepEqual([moved.state.paused, moved.state.note], [true, 'while the shop moves']);

    await handle.unpause('moved');
    await reconcileSchedules(client, config(watch, `${scheduled}, paused: true`), LEDGER);
    assert.equal((await handle.describe()).state.paused, true);
    await reconcileSchedules(client, config(watch, scheduled), LEDGER);
    assert.equal((await handle.describe()).state.paused, false);

    await reconcileSchedules(client, config('another-watch', 'paused: false'), LEDGER);
    const orphan = await handle.describe();
    assert.deepEqual([orphan.state.paused, orphan.state.note], [true, 'no longer in the configuration']);
    await handle.delete();
  });

  test("a watch's priority is that of its scheduled runs, and a restart changes nothing", async (t) => {
    const { client } = await withWorker(t, {});
    const ledger = `w${randomUUID().slice(0, 8)}` as LedgerId;
    const id = watchScheduleId(ledger, 'shop' as WatchId);
    const put = (settings: string) =>
      reconcileSchedules(client, config('shop', `schedule: { cron: "30 4 * * *" }, ${settings}`), ledger);
    const getPriority = async () => {
      const { action } = await client.schedule.getHandle(id).describe();
      return action.priority?.priorityKey;
    };
    await put('priority: 1');
    assert.equal(await getPriority(), 1);
    assert.deepEqual(await put('priority: 1'), []);
    assert.deepEqual(await put('priority: 5'), [{ id, change: 'updated' }]);
    assert.equal(await getPriority(), 5);
    assert.deepEqual(await put('priority: 3'), [{ id, change: 'updated' }]);
    assert.equal(await getPriority(), undefined, 'the default of the server');
    await client.schedule.getHandle(id).delete();
  });

  test('a restart leaves schedules alone that are as configured, and corrects those that were edited', async (t) => {
    const { client } = await withWorker(t, {});
    const ledger = `w${randomUUID().slice(0, 8)}` as LedgerId;
    const watch = 'shop' as WatchId;
    const file = config(watch, 'schedule: { cron: "30 4 * * *", timezone: Europe/Istanbul }, index_check: {}');
    const handles = [watchScheduleId(ledger, watch), checkScheduleId(ledger, watch)].map((id) =>
      client.schedule.getHandle(id),
    );
    assert.equal((await reconcileSchedules(client, file, ledger)).length, 2);
    // The server lists a schedule a moment after it is created; before, a restart finds it when it creates it.
    assert.deepEqual(await reconcileSchedules(client, file, ledger), []);
    const [run] = handles;
    assert.ok(run);
    assert.equal((await run.describe()).info.lastUpdatedAt, undefined);

    await run.pause('while the shop moves');
    assert.deepEqual(await reconcileSchedules(client, file, ledger), [], 'your pause is kept');

    await run.update((previous) => ({ ...previous, spec: { cronExpressions: ['0 0 * * *'] } }));
    const corrected = [{ id: watchScheduleId(ledger, watch), change: 'updated' }];
    assert.deepEqual(await reconcileSchedules(client, file, ledger), corrected);
    assert.deepEqual((await run.describe()).spec.calendars?.[0]?.hour, [{ start: 4, end: 4, step: 1 }]);

    await run.update((previous) => ({ ...previous, action: { ...previous.action, args: [{ watch: 'other' }] } }));
    assert.deepEqual(await reconcileSchedules(client, file, ledger), corrected);
    assert.deepEqual(await reconcileSchedules(client, file, ledger), []);
    await Promise.all(handles.map((handle) => handle.delete()));
  });

  test('a ledger does not change the schedules of another ledger with the same watch and account', async (t) => {
    const { client } = await withWorker(t, {});
    const watch = `w${randomUUID().slice(0, 8)}`;
    const other = 'ledger02' as LedgerId;
    const file = config(watch, 'schedule: { cron: "30 4 * * *", timezone: Europe/Istanbul }');
    await reconcileSchedules(client, file, LEDGER);
    const handle = client.schedule.getHandle(watchScheduleId(LEDGER, watch as WatchId));
    const before = await handle.describe();

    const later = config(watch, 'schedule: { cron: "45 5 * * *" }');
    const created = await reconcileSchedules(client, later, other);
    assert.deepEqual(created, [{ id: watchScheduleId(other, watch as WatchId), change: 'created' }]);
    await reconcileSchedules(client, config('another-watch', 'paused: false'), other);

    const after = await handle.describe();
    assert.deepEqual(
      [after.state, after.spec, after.info.lastUpdatedAt],
      [before.state, before.spec, before.info.lastUpdatedAt],
    );
    const gone = client.schedule.getHandle(watchScheduleId(other, watch as WatchId));
    assert.equal((await gone.describe()).state.paused, true, 'its own is paused when its watch is gone');
    await handle.delete();
    await gone.delete();
  });
});
