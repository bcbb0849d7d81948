import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { courier, folderFor, ofType, printCourier } from '../../../test/support/cli.ts';
import { temporalAddress } from '../../../test/support/temporal.ts';
import { loadConfig } from '../../config/load.ts';
import { reconcileSchedules } from '../../connector/schedules.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { connectClient } from '../../temporal/connect.ts';

describe('the next run of a watch', () => {
  test('is shown in the zone of its schedule, and in UTC to programs', async (t) => {
    const address = await temporalAddress(t);
    const folder = folderFor(
      t,
      () => `version: 1
accounts:
  main: { base_url: "https://service.example/api/v1", api_key: { env: COURIER_API_KEY } }
watches:
  shop: { account: main, sitemaps: ["https://shop.example/sitemap.xml"], schedule: { cron: "30 4 * * *", timezone: Europe/Istanbul } }
temporal: { address: "${address}", namespace: default }
ledger: { url: "sqlite:ledger.db" }
`,
    );
    const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
    t.after(() => ledger.close());
    const { client, connection } = await connectClient({ address, namespace: 'default' });
    const [schedule] = await reconcileSchedules(client, loadConfig(join(folder, 'courier.yaml')), ledger.id);
    t.after(async () => {
      await client.schedule.getHandle(schedule?.id ?? '').delete();
      await connection.close();
    });

    const local = /next run \d{4}-\d\d-\d\d 04:30 Europe\/Istanbul/;
    // The list of schedules shows a new one a moment later.
    let listed = await printCourier(folder, 'watch', 'list');
    for (let left = 20; !local.test(listed) && left > 0; left--) listed = await printCourier(folder, 'watch', 'list');
    assert.match(listed, local);
    assert.match(await printCourier(folder, 'status'), new RegExp(`shop: .*${local.source}`));
    const [watch] = ofType(await courier(folder, 'status'), 'watch');
    assert.match(String(watch?.next_run_at), /T01:30:00\.000Z$/);
  });
});
