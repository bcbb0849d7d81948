import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../../contract/money.ts';
import {
  ACCOUNT,
  accepted,
  crawled,
  HOUR,
  QUARTER,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { pick, seeded } from '../../../test/support/seeded.ts';
import { openDatabase } from '../../database/open.ts';
import type { Reference, RunId, WatchId } from '../../submission/ids.ts';
import type { Url } from '../../url/normalize-url.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { beginSend } from '../batches/begin-send.ts';
import { recordAnswer } from '../batches/record-answer.ts';
import { recordPoll } from '../jobs/record-poll.ts';
import { settleJob } from '../jobs/settle-job.ts';
import { type Ledger, ledgerOver } from '../open-ledger.ts';
import { planRun } from '../plans/make-plan.ts';
import { getAccountTotals } from '../reports/totals.ts';
import { endRun } from '../runs/runs.ts';
import { forgetPages } from './forget-pages.ts';

const WATCHES = ['shop', 'store', 'blog'] as WatchId[];
const PAGES = ['1', '2', '3', '4', '5', '6'];
const SEEDS = Number(process.env.COURIER_TEST_SEEDS ?? 6);
const STEPS = 30;

interface Request {
  readonly key: string;
  readonly body: string;
}

/** One run to its end, with what it sends. Jobs whose first page is in `failing` fail. */
async function run(
  ledger: Ledger,
  name: string,
  watch: WatchId,
  site: readonly (readonly [string, string])[],
  { configured, failing }: { configured: readonly WatchId[]; failing: boolean },
): Promise<Request[]> {
  const policy = { ...WATCH, id: watch };
  await crawled(ledger, name, { [`${watch}.xml`]: site }, { watch, configured });
  await planRun(ledger, name as RunId, { account: ACCOUNT, watch: policy });
  const requests: Request[] = [];
  for (;;) {
    const batch = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]?.id;
    if (batch === undefined) break;
    const sending = await beginSend(ledger, batch, { account: ACCOUNT, watch: policy });
    assert.ok(sending.kind === 'send');
    requests.push({ key: sending.key, body: sending.body });
    const reference = `R-${batch}` as Reference;
    await recordAnswer(ledger, batch, {
      attempt: sending.attempt,
      outcome: accepted(reference, (QUARTER * sending.urls.length) as Micros),
      status: 202,
      requestId: `q-${batch}`,
    });
    const state = failing ? 'failed' : 'completed';
    await recordPoll(ledger, ACCOUNT.id, reference, { state, terminalStates: ['completed', 'failed'] });
    await settleJob(ledger, ACCOUNT.id, reference, { retryFailed: policy.retryFailed });
  }
  await endRun(ledger, name as RunId, 'finished');
  return requests;
}

/** The same site, configuration and service for a ledger that forgets and for its model, which never does. */
async function play(ledger: TestLedger, model: Ledger, seed: number): Promise<{ bought: number; forgotten: number }> {
  const random = seeded(seed);
  const versions = new Map(PAGES.map((page) => [page, 1]));
  const sent = new Map<string, string>();
  let configured: readonly WatchId[] = WATCHES.slice(0, 2);
  let forgotten = 0;
  for (let step = 0; step < STEPS; step++) {
    const dice = random();
    if (dice < 0.5 && configured.length > 0) {
      const watch = pick(random, configured);
      const site = PAGES.filter(() => random() < 0.5).map(
        (page) => [page, `2026-01-${String(versions.get(page)).padStart(2, '0')}`] as const,
      );
      const by = { configured, failing: random() < 0.2 };
      const requests = await run(ledger, `r${step}`, watch, site, by);
      assert.deepEqual(requests, await run(model, `r${step}`, watch, site, by), `seed ${seed}, step ${step}`);
      for (const { key, body } of requests) {
        assert.ok(!body.includes('forgotten'), body);
        assert.ok(!sent.has(key), `seed ${seed}, step ${step}: key ${key} repeats`);
        sent.set(key, body);
      }
    } else if (dice < 0.75) {
      const selection =
        random() < 0.5
          ? ({
              kind: 'watch',
              watch: pick(
                random,
                WATCHES.filter((each) => !configured.includes(each)),
              ),
            } as const)
          : ({
              kind: 'urls',
              urls: new Set(PAGES.filter(() => random() < 0.5).map((page) => `https://shop.example/${page}` as Url)),
            } as const);
      if (selection.kind === 'watch' && selection.watch === undefined) continue;
      forgotten += (await forgetPages(ledger, { selection, configured }, { pause: () => Promise.resolve() })).pages;
    } else if (dice < 0.85) {
      const page = pick(random, PAGES);
      versions.set(page, versions.get(page)! + 1);
    } else if (dice < 0.95) {
      configured = WATCHES.filter(() => random() < 0.6);
    } else {
      ledger.pass(HOUR);
    }
    assert.deepEqual(await getAccountTotals(ledger, ACCOUNT.id), await getAccountTotals(model, ACCOUNT.id));
  }
  return { bought: sent.size, forgotten };
}

describe('a ledger that forgets', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    testLedger(`sends exactly what one sends that never does, seed ${seed}`, async (ledger, t) => {
      // The model decides, and needs no disk.
      const db = openDatabase('sqlite::memory:', { synchronous: 'NORMAL' });
      t.after(() => db.close());
      const model = await ledgerOver(db, ledger.now);
      const { bought, forgotten } = await play(ledger, model, seed);
      assert.ok(bought > 0 && forgotten > 0, `${bought} requests, ${forgotten} pages forgotten`);
    });
  }
});
