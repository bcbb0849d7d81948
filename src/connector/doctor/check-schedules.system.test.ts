import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { temporalAddress } from '../../../test/support/temporal.ts';
import { readConfig } from '../../config/load.ts';
import type { LedgerId, WatchId } from '../../submission/ids.ts';
import { watchScheduleId } from '../../temporal-api/ids.ts';
import { reconcileSchedules } from '../schedules.ts';
import { withTemporal } from '../temporal-server.ts';
import { checkTemporal } from './check-temporal.ts';

describe('the schedules, as doctor sees them', () => {
  test('a schedule that is missing fails, a paused one warns, and both say what to do', async (t) => {
    const config = readConfig(
      `version: 1
accounts: { main: { base_url: "https://x.example/api/v1", api_key: { env: X } } }
defaults: { schedule: { cron: "30 4 * * *" } }
watches:
  shop: { account: main, sitemaps: ["https://shop.example/s.xml"] }
  blog: { account: main, sitemaps: ["https://blog.example/s.xml"] }
  news: { account: main, sitemaps: ["https://news.example/s.xml"] }
  resting: { account: main, sitemaps: ["https://news.example/s.xml"], paused: true }
temporal: { address: "${await temporalAddress(t)}" }
`,
      'courier.yaml',
    );
    const ledger = `doc${process.pid.toString(36)}` as LedgerId;
    const look = async () => {
      const findings = await checkTemporal(config, 'courier.yaml', ledger);
      return findings
        .filter(({ check }) => check === 'schedules')
        .map(({ level, subject, message, next }) => [level, subject, message, next]);
    };
    await withTemporal(config, 'courier.yaml', async ({ client }) => {
      const handle = (watch: string) => client.schedule.getHandle(watchScheduleId(ledger, watch as WatchId));
      await reconcileSchedules(client, config, ledger);
      t.after(async () => {
        await withTemporal(config, 'courier.yaml', async (again) => {
          for (const watch of ['shop', 'news', 'resting'])
            await again.client.schedule.getHandle(watchScheduleId(ledger, watch as WatchId)).delete();
        });
      });
      // The server lists a schedule a moment after it is created.
      const until = async (wanted: unknown) => {
        for (const end = Date.now() + 15_000; Date.now() < end; ) {
          const found = await look();
          if (JSON.stringify(found) === JSON.stringify(wanted)) return;
        }
        assert.deepEqual(await look(), wanted);
      };
      await until([['ok', null, '3 of 3 present and not paused', null]]);
      await handle('blog').delete();
      await handle('news').pause('for the holidays');
      await until([
        ['fail', 'blog', 'the server has no schedule of it', 'start "courier worker", which creates it'],
        ['warn', 'news', 'its schedule is paused', 'courier watch resume news'],
      ]);
    });
  });
});
