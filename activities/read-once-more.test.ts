import assert from 'node:assert/strict';
import { describe, type TestContext } from 'node:test';
import { askUnread } from '../src/connector/ask-unread.ts';
import { explainUnreadJobs } from '../src/connector/explain-unread.ts';
import { sql } from '../src/database/sql.ts';
import { listBatches } from '../src/ledger/reports/lists.ts';
import { getUrlHistory } from '../src/ledger/reports/url-history.ts';
import type { AccountId } from '../src/submission/ids.ts';
import { startFakeService } from '../test/fakes/service/fake-service.ts';
import { always, failure, type Reply, success } from '../test/fakes/service/replies.ts';
import { type Dialect, emptyDatabaseUrl, testOnEachDialect } from '../test/support/database.ts';
import { shopUrl } from '../test/support/ledger.ts';
import { createTestConnector, type TestConnector } from '../test/support/test-connector.ts';

const MAIN = 'main' as AccountId;
const DAY = 86_400_000;
const ACCOUNT =
  'price_per_url: 0.25 TRY, tracking: { standard: { first: 1m, min: 1m, max: 10m, growth: 2, timeout: 1d } }';
const WATCH = 'retry_failed: { times: 3, after: 1h }, index_check: { after: 1ms, every: 1d }';
const MAP = ', status_map: { url: { completed: [eklendi], failed: [engellendi] } }';

/** What the service calls the four URLs of its job: it completes one in a word of the specification. */
const WORDS: readonly [string, string][] = [
  ['1', 'eklendi'],
  ['2', 'engellendi'],
  ['3', 'completed'],
  ['4', 'eklendi'],
];

const PAGES = WORDS.map(([page]) => page);

interface Settings {
  readonly dialect: Dialect;
  /** What the service answers to the n-th request for its job, if not that. */
  readonly detail?: (n: number, reference: string) => Reply | null;
  /** What the service calls the address of a URL. */
  readonly address?: string;
}

/** A job that ended as partial, in words that the account does not map, followed to its end. */
async function endUnread(t: TestContext, { dialect, detail = () => null, address = 'url' }: Settings) {
  const service = await startFakeService(t, {
    overrides: {
      list: always(success({ submissions: [], total: 0 })),
      detail: (n, reference) =>
        detail(n, reference) ??
        success({
          reference,
          status: 'partial',
          urls: WORDS.map(([n, status]) => ({ [address]: shopUrl(n), status })),
        }),
    },
  });
  const database = emptyDatabaseUrl(t, dialect);
  /** A worker with these words. Its clock goes on where that of the one before it stood. */
  async function open(words: string, after?: TestConnector): Promise<TestConnector> {
    const connector = await createTestConnector(t, {
      baseUrl: service.baseUrl,
      account: `${ACCOUNT}${words}`,
      watch: WATCH,
      dialect,
      database,
    });
    if (after !== undefined) connector.pass(after.now() - connector.now());
    return connector;
  }
  const first = await open('');
  await first.plan('r1', PAGES);
  assert.ok((await first.play()).ended);
  return { service, first, open };
}

const askFor = ({ deps }: TestConnector) => askUnread({ config: deps.config, ledger: deps.ledger });

const listStates = async ({ ledger }: TestConnector) =>
  Promise.all(WORDS.map(async ([page]) => (await getUrlHistory(ledger, shopUrl(page)))[0]?.state));

/** What no reading of a job may change. */
const readJournal = ({ ledger }: TestConnector) => ledger.db.all(sql`SELECT * FROM journal ORDER BY id`);

const explain = ({ ledger, deps }: TestConnector) => explainUnreadJobs(ledger, deps.getAccount(MAIN));

describe('a job that ended in words that were not mapped', () => {
  testOnEachDialect('names the words and the setting until they are mapped', async (t, dialect) => {
    const { first, open } = await endUnread(t, { dialect });
    assert.deepEqual(await listStates(first), ['known', 'known', 'completed', 'known']);
    assert.match(
      (await explain(first)) ?? '',
      /^3 URLs of 1 job ended in words that cannot be read: "eklendi", "engellendi"\..*accounts\.main\.status_map\.url/,
    );
    assert.equal(await explain(await open(MAP, first)), null);
  });

  testOnEachDialect('names the field of the addresses, and is read again once that is named', async (t, dialect) => {
    const { first, open } = await endUnread(t, { dialect, address: 'u' });
    assert.match(
      (await explain(first)) ?? '',
      /^batch 1: .*\(there is u, status\).*accounts\.main\.field_names\.url what/,
    );
    const next = await open(`${MAP}, field_names: { url: [u] }`, first);
    await askFor(next);
    await next.play();
    assert.deepEqual(await listStates(next), ['completed', 'failed', 'completed', 'completed']);
  });

  testOnEachDialect('is read again by itself once they are, and the journal does not change', async (t, dialect) => {
    const { service, first, open } = await endUnread(t, { dialect });
    const journal = await readJournal(first);
    assert.deepEqual(await askFor(first), [], 'nothing is asked for while nothing has changed');

    const second = await open(MAP, first);
    assert.deepEqual(await askFor(second), [MAIN]);
    assert.ok((await second.play()).ended);

    assert.deepEqual(await listStates(second), ['completed', 'failed', 'completed', 'completed']);
    const [batch] = await listBatches(second.ledger);
    assert.deepEqual([batch?.jobState, batch?.completed, batch?.failed], ['partial', 3, 1]);
    assert.deepEqual(await readJournal(second), journal);
    assert.deepEqual(await askFor(second), [], 'a job of which every URL has a result is not asked for again');
    assert.deepEqual(await second.ledger.db.all(sql`SELECT batch_id FROM unread_jobs`), []);
    // Failed URLs are bought again by the rule of the watch, the others never.
    second.pass(2 * DAY);
    await second.plan('r2', PAGES);
    await second.play({ sendOnly: true });
    assert.deepEqual(
      WORDS.map(([page]) => service.charges.get(shopUrl(page))),
      [1, 2, 1, 1],
    );
  });

  testOnEachDialect('is asked for once with each configuration', async (t, dialect) => {
    const { service, first, open } = await endUnread(t, { dialect });
    const half = await open(', status_map: { url: { completed: [eklendi] } }', first);
    await askFor(half);
    await half.play();
    assert.deepEqual(await listStates(half), ['completed', 'known', 'completed', 'completed']);
    assert.match((await explain(half)) ?? '', /^1 URL of 1 job ended in a word that cannot be read: "engellendi"/);

    const before = service.counts.detail;
    for (const words of ['', ', status_map: { url: { completed: [eklendi] } }'])
      assert.deepEqual(await askFor(await open(words, half)), [], `read with "${words}" before`);
    assert.equal(service.counts.detail, before);
  });

  testOnEachDialect('leaves index-checks of what was completed before as they are', async (t, dialect) => {
    const { first, open } = await endUnread(t, { dialect });
    const found = sql`
      UPDATE check_queue SET found_at = 5, next_at = NULL, checks = 3
      WHERE url_id = (SELECT id FROM urls WHERE url = ${shopUrl('3')})`;
    await first.ledger.db.run(found);
    const second = await open(MAP, first);
    await askFor(second);
    await second.play();
    const queue = await second.ledger.db.all(sql<{ url: string; checks: number; found: number | null; next: number }>`
      SELECT u.url, q.checks, q.found_at AS found, CASE WHEN q.next_at IS NULL THEN 0 ELSE 1 END AS next
      FROM check_queue AS q JOIN urls AS u ON u.id = q.url_id ORDER BY u.url`);
    assert.deepEqual(queue, [
      { url: shopUrl('1'), checks: 0, found: null, next: 1 },
      { url: shopUrl('3'), checks: 3, found: 5, next: 0 },
      { url: shopUrl('4'), checks: 0, found: null, next: 1 },
    ]);
  });

  testOnEachDialect('gives a URL that was bought again since the result of its last job', async (t, dialect) => {
    const later = success({ status: 'partial', urls: [{ url: shopUrl('2'), status: 'eklendi' }] });
    const detail = (_: number, reference: string) => (reference === 'R-2' ? later : null);
    const { service, first, open } = await endUnread(t, { dialect, detail });
    await first.ledger.db.run(sql`
      UPDATE urls SET state = 'held', due = 'released', guard_passed = 1 WHERE url = ${shopUrl('2')}`);
    await first.plan('r2', PAGES);
    await first.play();
    assert.equal(service.charges.get(shopUrl('2')), 2);
    const second = await open(MAP, first);
    await askFor(second);
    await second.play();
    const [history] = await getUrlHistory(second.ledger, shopUrl('2'));
    assert.deepEqual(
      [history?.state, history?.due, history?.purchases.map(({ result }) => result)],
      ['completed', null, ['failed', 'completed']],
    );
  });

  testOnEachDialect('stays as it is where the service has forgotten it', async (t, dialect) => {
    let forgotten = false;
    const { first, open } = await endUnread(t, { dialect, detail: () => (forgotten ? failure(404, 'GONE') : null) });
    forgotten = true;
    const second = await open(MAP, first);
    await askFor(second);
    const played = await second.play();
    assert.ok(played.ended, 'it is not asked for without an end');
    assert.deepEqual(await listStates(second), ['known', 'known', 'completed', 'known']);
    assert.equal(await explain(second), null);
  });

  testOnEachDialect('is not read again once an operator has ended it', async (t, dialect) => {
    const { first, open } = await endUnread(t, { dialect });
    await first.ledger.db.run(sql`UPDATE urls SET reason_code = 'job_resolved' WHERE url = ${shopUrl('2')}`);
    const second = await open(MAP, first);
    await askFor(second);
    await second.play();
    assert.equal((await getUrlHistory(second.ledger, shopUrl('2')))[0]?.state, 'known');
  });
});

describe('a job whose own word is mapped after it ended', () => {
  testOnEachDialect('has the end that the word means', async (t, dialect) => {
    const { service, first, open } = await endUnreadJob(t, dialect);
    assert.deepEqual((await listBatches(first.ledger))[0]?.jobState, 'iptal');
    const second = await open(', terminal_states: [iptal], status_map: { job: { failed: [iptal] } }', first);
    await askFor(second);
    assert.ok((await second.play()).ended);
    assert.deepEqual((await listBatches(second.ledger))[0]?.jobState, 'failed');
    assert.equal((await getUrlHistory(second.ledger, shopUrl('1')))[0]?.state, 'failed');
    assert.equal(service.charges.get(shopUrl('1')), 1);
  });

  /** It ends in a word that the account calls terminal, and shows its URLs in no state at all. */
  async function endUnreadJob(t: TestContext, dialect: Dialect) {
    const service = await startFakeService(t, {
      overrides: {
        list: always(success({ submissions: [], total: 0 })),
        detail: (_, reference) => success({ reference, status: 'İptal', urls: [{ url: shopUrl('1'), durum: 3 }] }),
      },
    });
    const database = emptyDatabaseUrl(t, dialect);
    const open = async (words: string, after?: TestConnector) => {
      const account = `${ACCOUNT}${words}`;
      const connector = await createTestConnector(t, {
        baseUrl: service.baseUrl,
        account,
        watch: WATCH,
        dialect,
        database,
      });
      if (after !== undefined) connector.pass(after.now() - connector.now());
      return connector;
    };
    const first = await open(', terminal_states: [iptal]');
    await first.plan('r1', ['1']);
    assert.ok((await first.play()).ended);
    return { service, first, open };
  }
});
