/** A worker whose configuration changes under it. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, ScheduleNotFoundError } from '@temporalio/client';
import { loadConfig } from '../../src/config/load.ts';
import { openConnector } from '../../src/connector/connector.ts';
import { startRun } from '../../src/connector/run-client.ts';
import { reconcileSchedules, updateSchedules } from '../../src/connector/schedules.ts';
import { startWorkerHousekeeping } from '../../src/connector/worker-housekeeping.ts';
import { createLogger } from '../../src/observability/log.ts';
import type { LedgerId, WatchId } from '../../src/submission/ids.ts';
import { watchScheduleId } from '../../src/temporal-api/ids.ts';
import { startFakeService } from '../fakes/service/fake-service.ts';
import { folderFor, publish } from '../support/cli.ts';
import { temporalAddress } from '../support/temporal.ts';

interface Written {
  readonly cron?: string;
  readonly key?: string;
}

const write = (baseUrl: string, watches: readonly string[], { cron = '30 4 * * *', key = 'key' }: Written = {}) =>
  `version: 1
accounts:
  main: { base_url: "${baseUrl}", api_key: { file: ${key} } }
defaults: { schedule: { cron: "${cron}" }, first_run: submit, hosts: [shop.example] }
watches:
${watches.map((name) => `  ${name}: { account: main, sitemaps: [sitemap.xml] }`).join('\n')}
ledger: { url: "sqlite:ledger.db" }
`
    .replace(', hosts: [shop.example] }', ' }')
    .replaceAll('sitemaps: [sitemap.xml] }', 'sitemaps: [sitemap.xml], hosts: [shop.example] }');

async function startWorker(
  t: TestContext,
  text: (baseUrl: string) => string,
  apiKey: string,
  { sync = true }: { readonly sync?: boolean } = {},
) {
  const address = await temporalAddress(t);
  const service = await startFakeService(t, { apiKey });
  const folder = folderFor(t, () => text(service.baseUrl));
  writeFileSync(join(folder, 'key'), apiKey);
  publish(folder, [1]);
  const path = join(folder, 'courier.yaml');
  const config = loadConfig(path);
  const log = createLogger('silent', 'test');
  const connector = await openConnector(config, { address, namespace: 'default' }, log);
  const { client, ledger } = connector.deps;
  if (sync) {
    await reconcileSchedules(client, config, ledger.id);
    connector.keep(startWorkerHousekeeping({ connector, path, config, log }));
  }
  const working = connector.run();
  t.after(async () => {
    for await (const { scheduleId } of client.schedule.list())
      if (scheduleId.includes(ledger.id)) await client.schedule.getHandle(scheduleId).delete();
    connector.stop();
    await working;
  });
  return { connector, client, ledger, service, folder, save: (next: string) => writeFileSync(path, next) };
}

/** The state of a watch's schedule; null when there is none. */
async function findSchedule(client: Client, ledger: LedgerId, watch: string) {
  try {
    return await client.schedule.getHandle(watchScheduleId(ledger, watch as WatchId)).describe();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return null;
    throw error;
  }
}

/** Milliseconds until the condition holds. */
async function timeUntil(holds: () => boolean | Promise<boolean>): Promise<number> {
  const startedAt = performance.now();
  while (!(await holds())) {
    assert.ok(performance.now() - startedAt < 60_000, 'it never held');
    await pause(50);
  }
  return performance.now() - startedAt;
}

describe('reload by a worker', () => {
  test('a new watch, a new schedule, a removed watch and another key are in force without a restart', async (t) => {
    const first = 'first-key-of-the-reload-test';
    const { connector, client, ledger, service, folder, save } = await startWorker(
      t,
      (baseUrl) => write(baseUrl, ['shop', 'old']),
      first,
    );
    writeFileSync(join(folder, 'second'), 'second-key-of-the-reload-test');
    save(write(service.baseUrl, ['shop', 'blog'], { cron: '15 6 * * *', key: 'second' }));
    const took = await timeUntil(async () => {
      const removed = await findSchedule(client, ledger.id, 'old');
      return (await findSchedule(client, ledger.id, 'blog')) !== null && removed?.state.paused === true;
    });
    t.diagnostic(`in force after ${Math.round(took)} ms`);
    const changed = await findSchedule(client, ledger.id, 'shop');
    assert.deepEqual(changed?.spec.calendars?.[0]?.hour, [{ start: 6, end: 6, step: 1 }]);

    const watch = connector.deps.config.watches.get('blog' as WatchId) ?? assert.fail();
    const run = await startRun(client, ledger.id, watch, 'planned', 'reload');
    await run.result();
    await timeUntil(() => service.credentials.some((each) => each.includes('second-key')));
    assert.ok(!service.credentials.some((each) => each.includes('first-key')), 'the former key is not used again');
  });

  test('a reload of 300 watches of which three changed writes three schedules', async (t) => {
    const names = Array.from({ length: 300 }, (_, n) => `watch-${n}`);
    const text = (baseUrl: string) => write(baseUrl, names);
    const { connector, client, ledger, service, folder } = await startWorker(t, text, 'a-key-for-300', { sync: false });
    const path = join(folder, 'courier.yaml');
    const before = connector.deps.config;
    const startedAt = performance.now();
    writeFileSync(
      path,
      text(service.baseUrl).replaceAll(/(watch-29[789]: \{)/g, '$1 schedule: { cron: "45 5 * * *" },'),
    );
    const after = loadConfig(path);
    connector.replaceConfig(after);
    const changes = await updateSchedules(client, { before, after }, ledger.id);
    const took = performance.now() - startedAt;
    t.diagnostic(`it took ${Math.round(took)} ms`);
    assert.equal(changes.length, 3, 'what is equal is left alone');
    assert.equal(connector.deps.getWatch('watch-299' as WatchId).schedule?.cron, '45 5 * * *');
  });
});
