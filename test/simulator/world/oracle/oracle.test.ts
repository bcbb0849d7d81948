import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import type { Kernel } from '../../platform/kernel.ts';
import type { NetRequest } from '../../platform/network.ts';
import { SERVICE_NAMES } from '../account-names.ts';
import { Site } from '../site.ts';
import { type Caps, NO_CAPS } from './caps-rule.ts';
import { Oracle } from './oracle.ts';
import { toXml } from './test-facts.ts';

const URL = 'https://www.shop.example/a';
const KEY = 'sc1-1';
const GUARD = { maxNew: null, maxNewPercent: null, maxGonePercent: null, maxChanged: 1_000, maxChangedPercent: 50 };
const CHECKS = { afterMs: 0, everyMs: 0, stopWhenFound: false, sample: 1, perDay: null };

interface Settings {
  /** Keys with an attempt before. */
  readonly tried: readonly string[];
  /** The one that is configured. */
  readonly watch: string;
  readonly caps: Caps;
}

/** A world of one page whose watch, `w0`, belongs to the first account. */
function createOracle({ tried = [], watch = 'w0', caps = NO_CAPS }: Partial<Settings> = {}) {
  const service = new DatabaseSync(':memory:');
  service.exec(`
    CREATE TABLE accounts (id INTEGER, name TEXT);
    CREATE TABLE entries (id INTEGER, kind TEXT, subject TEXT, amount INTEGER, balance_after INTEGER, account_id INTEGER);
    CREATE TABLE index_checks (id TEXT, idempotency_key TEXT, urls TEXT, results TEXT, status TEXT);
    CREATE TABLE submissions (id INTEGER, reference TEXT, idempotency_key TEXT, created_at INTEGER, finished_at INTEGER, status TEXT);
    CREATE TABLE submission_urls (submission_id INTEGER, url TEXT, status TEXT, updated_at INTEGER)`);
  service.prepare('INSERT INTO accounts VALUES (1, ?)').run(SERVICE_NAMES.main);
  const site = new Site();
  site.publish('w0', [{ url: URL, lastmod: null }]);
  const kernel = {
    elapsed: 0,
    now: () => 0,
    getClock: () => Date.UTC(2026, 1, 3),
    getLatestTime: () => 0,
    getEarliestTime: () => 0,
    trace: () => undefined,
  } as unknown as Kernel;
  const wasTried = (key: string) => tried.includes(key);
  const label = { run: 'run-1', isRunComplete: true, isHeld: false, plannedAfter: 1 };
  const retry = { times: 0, afterMs: 0 };
  const oracle = new Oracle({
    kernel,
    service,
    site,
    retry,
    price: 1,
    wasTried,
    findLabel: () => label,
    listReady: () => [],
    findTurn: () => null,
    findCheckWatch: () => 'w0',
    checks: CHECKS,
    guard: GUARD,
    isComplete: () => true,
    findOpenRun: () => null,
  });
  oracle.delivered('/w0.xml', { status: 200, headers: {}, body: Buffer.from(toXml({ [URL]: null })) }, 1);
  oracle.configure({ caps, floor: 0, watches: new Map([[watch, watch]]), secondAccount: null, levels: new Map() });
  return {
    oracle,
    site,
    send: (account: keyof typeof SERVICE_NAMES, isRefused = false) => {
      const body = Buffer.from(JSON.stringify({ project: 'Project w0', service: 'fast', urls: [URL] }));
      const headers = { 'idempotency-key': KEY };
      const request = { method: 'POST', path: '/api/v1/submissions', headers, body } as unknown as NetRequest;
      oracle.sent(request, SERVICE_NAMES[account], isRefused);
    },
    /** An index-check that is sent and charged. */
    check: (id: number) => {
      const headers = { 'idempotency-key': `check-${id}` };
      const request = { method: 'POST', path: '/api/v1/index-check', headers, body: Buffer.alloc(0) };
      oracle.sent(request as unknown as NetRequest, SERVICE_NAMES.main, false);
      service.prepare(`INSERT INTO index_checks VALUES (?, ?, ?, NULL, 'done')`).run(`c-${id}`, `check-${id}`, '[]');
      service.prepare("INSERT INTO entries VALUES (?, 'charge', ?, -5, 0, 1)").run(id, `c-${id}`);
    },
    /** The service dies while it checks, and gives the charge back: the key is free again. */
    chargeAndGiveBack: (id: number, isGivenBack: boolean) => {
      const status = isGivenBack ? 'restored' : 'done';
      service.prepare("INSERT INTO index_checks VALUES (?, NULL, '[]', NULL, ?)").run(`c-${id}`, status);
      service.prepare("INSERT INTO entries VALUES (?, 'charge', ?, -5, 0, 1)").run(id, `c-${id}`);
      if (isGivenBack) service.prepare("INSERT INTO entries VALUES (?, 'restore', ?, 5, 0, 1)").run(id + 1, `c-${id}`);
    },
    charge: (id: number) => {
      service.prepare('INSERT INTO submissions VALUES (?, ?, ?, 0, NULL, NULL)').run(id, `R-${id}`, KEY);
      service.prepare('INSERT INTO submission_urls VALUES (?, ?, NULL, NULL)').run(id, URL);
      service.prepare("INSERT INTO entries VALUES (?, 'charge', ?, -1, 0, 1)").run(id, `R-${id}`);
    },
  };
}

describe('a batch that is sent first with the key of an account that its watch has left', () => {
  test('is a breach', () => {
    const { oracle, send } = createOracle();
    send('second');
    assert.match(oracle.breaches[0] ?? '', /sent by simulated-second, and its watch belongs to simulated/);
  });

  test('is none where the ledger has an attempt before: its worker died before the request left', () => {
    const { oracle, send } = createOracle({ tried: [KEY] });
    send('second');
    assert.deepEqual(oracle.breaches, []);
  });
});

describe('a batch of a watch that is not configured', () => {
  test('is a breach', () => {
    const { oracle, send } = createOracle({ watch: 'w1' });
    send('main');
    assert.match(oracle.breaches[0] ?? '', /a watch that is not configured/);
  });

  test('is one also after an attempt that was surely refused', () => {
    const { oracle, send } = createOracle({ tried: [KEY] });
    send('main', true);
    oracle.configure({
      caps: NO_CAPS,
      floor: 0,
      watches: new Map([['w1', 'w1']]),
      secondAccount: null,
      levels: new Map(),
    });
    send('main');
    assert.match(oracle.breaches[0] ?? '', /a watch that is not configured/);
  });

  test('is none where the ledger has an attempt before of which the oracle has seen nothing', () => {
    const { oracle, send } = createOracle({ watch: 'w1', tried: [KEY] });
    send('main');
    assert.deepEqual(oracle.breaches, []);
  });
});

describe('a copy of the ledger that came back', () => {
  test('is not compared with the service until something is bought', () => {
    const { oracle, send, charge } = createOracle();
    send('main');
    charge(1);
    assert.equal(oracle.isCopyUncompared, false, 'none came back');
    oracle.copyLedger();
    oracle.restoreLedger();
    assert.equal(oracle.isCopyUncompared, true);
    oracle.allowAgain(URL);
    charge(2);
    assert.equal(oracle.isCopyUncompared, false);
  });

  test('lacks what index-checks cost since it was made: that counts for no cap', () => {
    const { oracle, send, charge, check } = createOracle({ caps: { ...NO_CAPS, perDay: 10 } });
    check(1);
    oracle.copyLedger();
    check(2);
    oracle.restoreLedger();
    send('main');
    charge(3);
    oracle.check();
    assert.deepEqual(
      oracle.breaches.filter((text) => text.startsWith('caps')),
      [],
    );
  });
});

describe('a page that changes while its batch is in doubt', () => {
  const CHANGED = toXml({ [URL]: '2026-02-02' });
  const deliver = (oracle: Oracle) =>
    oracle.delivered('/w0.xml', { status: 200, headers: {}, body: Buffer.from(CHANGED) }, 1);

  test('is bought with it, where a crawl had the change before the attempt that the service took', () => {
    const { oracle, send, charge, site } = createOracle();
    send('main');
    site.publish('w0', [{ url: URL, lastmod: '2026-02-02' }]);
    deliver(oracle);
    send('main');
    charge(1);
    oracle.requireBought([URL], 'the job was created after the change');
    assert.deepEqual(oracle.breaches, []);
  });

  test('is bought after it, where the crawl came later', () => {
    const { oracle, send, charge, site } = createOracle();
    send('main');
    charge(1);
    oracle.check();
    site.publish('w0', [{ url: URL, lastmod: '2026-02-02' }]);
    deliver(oracle);
    send('main');
    oracle.requireBought([URL], 'it has changed since');
    assert.equal(oracle.breaches.length, 1);
  });
});

describe('what index-checks cost', () => {
  test('counts for the caps of the account', () => {
    const { oracle, send, charge, check } = createOracle({ caps: { ...NO_CAPS, perDay: 5 } });
    check(1);
    oracle.check();
    send('main');
    charge(2);
    oracle.check();
    assert.ok(oracle.breaches.some((text) => /6 was spent, of at most 5 by perDay/.test(text)));
  });
});

describe('an index-check whose key is free again', () => {
  test('was given back before anybody read its charge', () => {
    const { oracle, chargeAndGiveBack } = createOracle({ caps: { ...NO_CAPS, perDay: 1 } });
    chargeAndGiveBack(1, true);
    oracle.check();
    assert.deepEqual(oracle.breaches, []);
    assert.equal(oracle.getSpent('perDay', ['w0']), 0);
  });

  test('is a breach where its charge was kept', () => {
    const { oracle, chargeAndGiveBack } = createOracle();
    chargeAndGiveBack(1, false);
    oracle.check();
    assert.match(oracle.breaches[0] ?? '', /c-1 was charged for an index-check that was never sent/);
  });
});
