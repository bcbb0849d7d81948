import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { parseTry } from '../contract/money.ts';
import { type Database, DatabaseUnavailableError, type Queryable } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { openDatabase } from '../src/database/open.ts';
import { compile, type Query, sql } from '../src/database/sql.ts';
import { emptyDatabaseUrl, TEST_DIALECTS } from '../test/support/database.ts';
import { type AccountId, findAccount } from './accounts/account.ts';
import { insertAccount } from './accounts/insert-account.ts';
import { createKey, regenerateKey } from './accounts/keys.ts';
import { createReset, resetByLink, setPassword } from './accounts/sign-in.ts';
import { closeAccount } from './accounts/status.ts';
import { topUp } from './accounts/top-up.ts';
import { checkUrlsInIndex } from './index-check/check.ts';
import { type Finding, unknown } from './index-check/provider.ts';
import { MIGRATIONS } from './migrations.ts';
import { refundSubmission } from './operations/refund.ts';
import { failSubmission } from './operations/submissions.ts';
import { begin, expire, finish, recordOutcomes } from './processing/transitions.ts';
import { DEFAULT_SETTINGS } from './settings.ts';
import { accept } from './submissions/accept.ts';

/** What the two transactions of a play work on. */
interface Scene {
  readonly account: AccountId;
  readonly name: string;
  readonly queued: string;
  readonly processing: string;
  readonly key: string;
  readonly reset: string;
}
type Act = (db: Database, scene: Scene) => Promise<unknown>;

const NOW = Date.UTC(2026, 2, 1);
const ORIGIN = { address: '127.0.0.1', agent: 'test' };
const REFUND = { refundFailed: true, now: NOW };
const MONEY = parseTry('1000')!;

const submit = (db: Database, account: AccountId) => {
  const urls = ['https://shop.example/a', 'https://shop.example/b'];
  const fingerprint = new Uint8Array(32);
  const wanted = {
    account,
    idempotencyKey: randomUUID(),
    fingerprint,
    project: 'Shop',
    service: 'standard',
    urls,
  } as const;
  return accept(db, { ...wanted, identities: urls }, NOW);
};

/** An index-check whose provider answers so. */
const check = (db: Database, { account, queued }: Scene, find: (url: string) => Finding) =>
  checkUrlsInIndex(
    {
      ...{ before: db, db, now: () => NOW, restoreSoon: () => undefined, onRestored: () => undefined },
      settings: { ...DEFAULT_SETTINGS.indexCheck, waitMs: 0 },
      provider: {
        name: 'test',
        findProblem: () => null,
        reserve: () => ({ check: async (urls) => urls.map(find), release: () => undefined }),
      },
    },
    {
      ...{ account, idempotencyKey: queued, fingerprint: new Uint8Array(32), price: parseTry('0.5')! },
      urls: ['https://shop.example/a'],
    },
  );

const outcome = (position: number, status: 'completed' | 'failed') => ({ position, status, reason: null });

/** Everything that moves money or changes a submission, as far as two of them can meet in one account. */
const MONEY_ACTS: Readonly<Record<string, Act>> = {
  accept: (db, { account }) => submit(db, account),
  begin: (db, { queued }) => begin(db, queued, NOW),
  'record outcomes': (db, { processing }) =>
    recordOutcomes(db, processing, [outcome(0, 'completed'), outcome(1, 'failed')], NOW),
  finish: async (db, { processing }) => finish(db, processing, REFUND),
  'expire a queued one': (db, { queued }) => expire(db, queued, 'late', REFUND),
  'expire one in processing': (db, { processing }) => expire(db, processing, 'late', REFUND),
  'expire without a refund': (db, { processing }) => expire(db, processing, 'late', { ...REFUND, refundFailed: false }),
  refund: (db, { queued }) => db.tx((tx) => refundSubmission(tx, { submission: queued, reason: 'goodwill' }, NOW)),
  fail: (db, { processing }) =>
    db.tx((tx) => failSubmission(tx, { reference: processing, reason: 'stuck', refund: true }, NOW)),
  'fail a queued one': (db, { queued }) =>
    db.tx((tx) => failSubmission(tx, { reference: queued, reason: 'stuck', refund: true }, NOW)),
  'check with a gap': (db, scene) => check(db, scene, () => unknown('no answer')),
  'check that fails': (db, scene) =>
    check(db, scene, () => {
      throw new Error('the provider is down');
    }),
  'top up': (db, { name }) => db.tx(async (tx) => topUp(tx, await findAccount(tx, name), { amount: MONEY }, NOW)),
};

/** The same for keys, passwords and the end of an account. */
const ACCOUNT_ACTS: Readonly<Record<string, Act>> = {
  'create a key': (db, { account }) => db.tx((tx) => createKey(tx, { account, name: 'new' }, NOW)),
  'regenerate a key': (db, { key }) => db.tx((tx) => regenerateKey(tx, { id: key }, NOW)),
  'set a password': (db, { account }) => db.tx((tx) => setPassword(tx, account, 'hash')),
  'set a password by a link': (db, { reset }) => resetByLink(db, reset, 'correct horse battery', ORIGIN, NOW),
  close: (db, { name }) => db.tx((tx) => closeAccount(tx, name, 'asked', NOW)),
};

async function prepare(db: Database, isEmpty: boolean): Promise<Scene> {
  const name = randomUUID();
  const price = parseTry('0.25')!;
  const { account, key, reset } = await db.tx(async (tx) => {
    const { id } = await insertAccount(tx, { name, prices: { standard: price, fast: price } }, NOW);
    const found = await findAccount(tx, name);
    if (!isEmpty) await topUp(tx, found, { amount: MONEY }, NOW);
    const made = await createKey(tx, { account: id, name: 'key' }, NOW);
    return { account: id, key: made.id, reset: await createReset(tx, id, NOW) };
  });
  if (isEmpty) return { account, name, key, reset, queued: '', processing: '' };
  const queued = (await submit(db, account)).submission.reference;
  const processing = (await submit(db, account)).submission.reference;
  await begin(db, processing, NOW);
  return { account, name, key, reset, queued, processing };
}

/** A database that counts its transactions and their runs, and stops once after so many locking statements. */
class Stepped {
  /** Runs of a transaction beyond its first: Postgres ended the earlier one. */
  repeated = 0;
  locking = 0;
  readonly db: Database;
  readonly #stopAfter: number;
  readonly #stopped = Promise.withResolvers<void>();
  readonly #released = Promise.withResolvers<void>();

  constructor(db: Database, stopAfter = Number.POSITIVE_INFINITY) {
    this.#stopAfter = stopAfter;
    this.db = {
      ...db,
      ...this.#wrap(db),
      tx: (work) => {
        let runs = 0;
        return db.tx((tx) => {
          if (++runs > 1) this.repeated++;
          return work(this.#wrap(tx));
        });
      },
    };
  }

  get stopped(): Promise<void> {
    return this.#stopped.promise;
  }

  release(): void {
    this.#released.resolve();
  }

  #wrap(inner: Queryable): Queryable {
    const step = async <T>(query: Query, run: () => Promise<T>): Promise<T> => {
      const result = await run();
      if (/^\s*(INSERT|UPDATE|DELETE)|FOR (NO KEY )?UPDATE/.test(compile(query, 'postgres').text)) {
        if (++this.locking === this.#stopAfter) {
          this.#stopped.resolve();
          await this.#released.promise;
        }
      }
      return result;
    };
    return {
      ...inner,
      all: (query) => step(query, () => inner.all(query)),
      get: (query) => step(query, () => inner.get(query)),
      one: (query) => step(query, () => inner.one(query)),
      run: (query) => step(query, () => inner.run(query)),
    };
  }
}

/** Opens a database, and tells when a statement of another one that is named so waits for a lock. */
async function openStage(t: TestContext) {
  const url = new URL(emptyDatabaseUrl(t, 'postgres'));
  const name = `second-${url.searchParams.get('schema')}`;
  const second = new URL(url);
  second.searchParams.set('application_name', name);
  const [db, other] = [openDatabase(url.href), openDatabase(second.href)];
  t.after(() => Promise.all([db.close(), other.close()]));
  await migrate(db, 'service', MIGRATIONS, NOW);
  const waits = async () => {
    const { waiting } = await db.one(sql<{ waiting: number }>`
      SELECT count(*) AS waiting FROM pg_stat_activity WHERE application_name = ${name} AND wait_event_type = 'Lock'`);
    return waiting > 0;
  };
  return { db, other, waits };
}

async function playAll(t: TestContext, acts: Readonly<Record<string, Act>>, isEmpty: boolean): Promise<string[]> {
  const { db, other, waits } = await openStage(t);
  const problems: string[] = [];
  let waited = 0;

  /** One act stops after each of its locks in turn, the other one runs until it ends or waits; then the first goes on. */
  async function play(first: string, second: string, at: number, isShared: boolean): Promise<void> {
    const scene = await prepare(db, isEmpty);
    const apart = isEmpty || isShared ? scene : { ...scene, ...(await addSubmissions(db, scene.account)) };
    const [stopping, free] = [new Stepped(db, at), new Stepped(other)];
    const begun = acts[first]!(stopping.db, scene).catch((error: unknown) => error);
    await Promise.race([stopping.stopped, begun]);
    let isDone = false;
    const met = acts[second]!(free.db, apart)
      .catch((error: unknown) => error)
      .finally(() => {
        isDone = true;
      });
    for (; !isDone; await turn()) {
      if (!(await waits())) continue;
      waited++;
      break;
    }
    stopping.release();
    const ends = await Promise.all([begun, met]);
    const where = `${first}, stopped after ${at} locks, and ${second}${isShared ? '' : ' of another submission'}`;
    if (stopping.repeated + free.repeated > 0) problems.push(`${where}: deadlock`);
    for (const end of ends) if (end instanceof DatabaseUnavailableError) problems.push(`${where}: ${end}`);
  }

  for (const first of Object.keys(acts)) {
    const alone = new Stepped(db);
    await acts[first]!(alone.db, await prepare(db, isEmpty)).catch(() => undefined);
    for (let at = 1; at <= alone.locking; at++) {
      for (const second of Object.keys(acts)) {
        await play(first, second, at, true);
        if (!isEmpty) await play(first, second, at, false);
      }
    }
  }
  assert.ok(waited > Object.keys(acts).length, `only ${waited} of the plays met a lock`);
  return problems;
}

async function addSubmissions(db: Database, account: AccountId): Promise<Pick<Scene, 'queued' | 'processing'>> {
  const queued = (await submit(db, account)).submission.reference;
  const processing = (await submit(db, account)).submission.reference;
  await begin(db, processing, NOW);
  return { queued, processing };
}

const live = TEST_DIALECTS.includes('postgres') ? {} : { skip: 'COURIER_TEST_POSTGRES names no Postgres' };

describe('one order of locks', live, () => {
  test('no two transactions of an account that move money deadlock, wherever one of them stops', async (t) => {
    assert.deepEqual(await playAll(t, MONEY_ACTS, false), []);
  });

  test('no two transactions that change its keys, its password or its end deadlock', async (t) => {
    assert.deepEqual(await playAll(t, ACCOUNT_ACTS, true), []);
  });
});
