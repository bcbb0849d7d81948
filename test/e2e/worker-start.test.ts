/** A worker that starts while the Temporal server is slow or away. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, type TestContext, test } from 'node:test';
import { Client, Connection } from '@temporalio/client';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import type { WatchId } from '../../src/submission/ids.ts';
import { watchScheduleId } from '../../src/temporal-api/ids.ts';
import { folderFor, startCourier } from '../support/cli.ts';
import { secureTemporal } from '../support/secured-temporal.ts';
import { temporalAddress } from '../support/temporal.ts';

const WATCHES = Array.from({ length: 10 }, (_, index) => `shop-${index}`);
const UNAVAILABLE = 14;
const DEADLINE_EXCEEDED = 4;

/** The status of each of the first calls of a method; later ones reach the server. */
type Faults = Readonly<Record<string, readonly number[]>>;

/** Starts `courier worker` on a server that answers so. `calls`: how often each method of `faults` was called. */
async function startWorker(t: TestContext, faults: Faults) {
  const target = await temporalAddress(t);
  const calls = new Map<string, number>();
  const asked = new Map<string, () => void>();
  const proxy = await secureTemporal(t, {
    target,
    deny(path) {
      const method = path.slice(path.lastIndexOf('/') + 1);
      const call = calls.get(method) ?? 0;
      calls.set(method, call + 1);
      asked.get(method)?.();
      const code = faults[method]?.[call];
      return code === undefined ? null : { code, message: 'context deadline exceeded' };
    },
  });
  const folder = folderFor(
    t,
    () => `version: 1
accounts: { main: { base_url: "http://127.0.0.1:1/api/v1", api_key: { file: key } } }
watches:
${WATCHES.map((watch) => `  ${watch}: { account: main, sitemaps: [sitemap.xml], hosts: [shop.example], schedule: { cron: "30 4 * * *" } }`).join('\n')}
temporal: { address: "${proxy.address}", namespace: default }
ledger: { url: "sqlite:ledger.db" }
`,
  );
  writeFileSync(join(folder, 'key'), 'a-key');
  const worker = startCourier(folder, 'worker');
  t.after(() => worker.kill('SIGKILL'));
  let said = '';
  worker.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: worker.stdout! }).on('line', (line) => line.includes('"type":"ready"') && resolve());
  });
  const ended = new Promise<number | null>((resolve) => worker.once('close', resolve));
  return {
    untilReady: () => Promise.race([ready, ended.then((code) => assert.fail(`it ended with ${code}: ${said}`))]),
    ended,
    stop: () => worker.kill('SIGTERM'),
    getSaid: () => said,
    untilAsked: (method: string) => new Promise<void>((resolve) => asked.set(method, resolve)),
    async listSchedules() {
      const connection = await Connection.connect({ address: target });
      const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
      try {
        const { schedule } = new Client({ connection, namespace: 'default' });
        const found = WATCHES.map((watch) =>
          schedule.getHandle(watchScheduleId(ledger.id, watch as WatchId)).describe(),
        );
        return (await Promise.allSettled(found)).filter(({ status }) => status === 'fulfilled').length;
      } finally {
        await ledger.close();
        await connection.close();
      }
    },
  };
}

/** Ten of them: eight schedules are put at a time. */
const often = (...codes: readonly number[]): readonly number[] => Array.from({ length: 10 }, () => codes).flat();

describe('a worker that starts while the Temporal server', () => {
  for (const [what, faults] of Object.entries<Faults>({
    'puts no schedules': { CreateSchedule: often(UNAVAILABLE, DEADLINE_EXCEEDED) },
    'lists no schedules': { ListSchedules: [DEADLINE_EXCEEDED, DEADLINE_EXCEEDED] },
    'answers nothing that is asked at first': {
      GetSystemInfo: [UNAVAILABLE, DEADLINE_EXCEEDED, UNAVAILABLE],
      ListSearchAttributes: [DEADLINE_EXCEEDED, DEADLINE_EXCEEDED],
      DescribeNamespace: often(DEADLINE_EXCEEDED, UNAVAILABLE),
    },
  })) {
    test(`${what}: says for what it waits, and puts every schedule in the end`, async (t) => {
      const worker = await startWorker(t, faults);
      await worker.untilReady();
      assert.equal(await worker.listSchedules(), WATCHES.length);
      worker.stop();
      assert.equal(await worker.ended, 143, worker.getSaid());
      assert.match(
        worker.getSaid(),
        /(The Temporal server cannot be used|The start cannot be completed) yet: .*context deadline exceeded.*; after \d+ s more it ends with exit code 5/,
      );
      assert.doesNotMatch(worker.getSaid(), /Channel has been shut down|^ +at /m);
    });
  }

  test('puts no schedules: a signal ends it at once, without a stack', async (t) => {
    const worker = await startWorker(t, { CreateSchedule: often(...often(UNAVAILABLE)) });
    await worker.untilAsked('CreateSchedule');
    worker.stop();
    assert.equal(await worker.ended, 143, worker.getSaid());
    assert.doesNotMatch(worker.getSaid(), /Channel has been shut down|^ +at /m);
  });
});
