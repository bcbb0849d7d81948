/** What the pages over all watches ask the ledger: as many statements for 500 watches as for three. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, testLedger } from '../../../test/support/ledger.ts';
import type { Output } from '../../cli-kit/output.ts';
import { readConfig } from '../../config/load.ts';
import { forecastRuns } from '../../connector/forecast.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { ensureWatch } from '../../ledger/accounts/watches.ts';
import { recordBalance } from '../../ledger/money/balance.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { findConditions } from '../../notify/find-conditions.ts';
import type { AccountId, WatchId } from '../../submission/ids.ts';
import { showStatus } from './status.ts';
import { checkStatus } from './status-check.ts';

const MOST = 20;
const SILENT: Output = {
  ...{ json: false, quiet: false, verbose: false, live: false },
  ...{ say: () => undefined, warn: () => undefined, print: () => undefined, record: () => undefined },
};

/** The same ledger, which counts the statements that it is asked. `status --check` writes one more: whether the disk takes it. */
function countStatements(ledger: Ledger): { readonly ledger: Ledger; readonly take: () => number } {
  let count = 0;
  const db = new Proxy(ledger.db, {
    get(target, name: keyof Queryable) {
      const found = target[name];
      if (typeof found !== 'function' || !['get', 'all', 'one'].includes(name)) return found;
      return (...args: unknown[]) => {
        count += 1;
        return Reflect.apply(found, target, args);
      };
    },
  });
  return {
    ledger: { ...ledger, db },
    take: () => {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}

/** Each with thirty runs: most are well, some fail, some are held, some have pages kept back. */
async function fill(ledger: Ledger, watches: number): Promise<WatchId[]> {
  const names = Array.from({ length: watches }, (_, at) => `site-${at}` as WatchId);
  const now = ledger.now();
  await ledger.db.tx(async (tx) => {
    for (const [at, name] of names.entries()) {
      const id = await ensureWatch(tx, name, ACCOUNT.id as AccountId);
      for (let run = 0; run < 3; run++) {
        const isBad = at % 100 === 1;
        const started = now - (3 - run) * 3_600_000;
        const held = at % 100 === 2 && run === 2 ? HELD : null;
        await tx.run(sql`
          INSERT INTO runs (name, watch_id, account_id, scope, baseline, first_run, started_at, touched_at, ended_at, end_state,
            complete, found, new_urls, changed, held, held_urls)
          VALUES (${`${name}/${run}`}, ${id}, ${ACCOUNT.id}, '', 0, 0, ${started}, ${started}, ${held === null ? started : null},
            ${held === null ? 'finished' : null}, ${isBad ? 0 : 1}, 10, 2, 0, ${held}, ${at % 100 === 3 ? 5 : 0})`);
      }
    }
  });
  await recordBalance(ledger, ACCOUNT.id as AccountId, 1_000_000_000 as never);
  return names;
}

const HELD = JSON.stringify({
  reasons: [{ code: 'max_new', urls: 2, limit: 1 }],
  sample: ['https://site.example/a'],
  forecast: { urls: 2, cost: 500_000, allowed: 2 },
});

const toConfig = (names: readonly string[]) =>
  readConfig(
    `version: 1
accounts:
  main: { base_url: https://service.example/api/v1, api_key: { env: UNUSED }, price_per_url: 0.25 TRY, spend: { per_day: 50 TRY } }
watches:
${names.map((name) => `  ${name}: { account: main, sitemaps: [https://${name}.example/s.xml], schedule: { cron: "30 4 * * *" }, spend: { per_day: 5 TRY } }`).join('\n')}
`,
    '/nowhere/courier.yaml',
  );

describe('500 watches', () => {
  testLedger(`take at most ${MOST} statements for each page over all of them`, async (ledger) => {
    const config = toConfig(await fill(ledger, 500));
    const counted = countStatements(ledger);
    const context = { config, file: '/nowhere/courier.yaml', ledger: counted.ledger };
    const pages = {
      status: () => showStatus(SILENT, context, false),
      'status --check': () => checkStatus(SILENT, context),
      tonight: () => forecastRuns({ config, ledger: counted.ledger, isPaused: () => false }),
      'what notifications are made from': () =>
        findConditions(counted.ledger, config, { startedAt: ledger.now(), forecastPrices: async () => new Map() }),
    };
    for (const [page, show] of Object.entries(pages)) {
      await show();
      const statements = counted.take();
      assert.ok(statements > 0 && statements <= MOST, `${page}: ${statements} statements`);
    }
  });
});
