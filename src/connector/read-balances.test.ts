import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startFakeService } from '../../test/fakes/service/fake-service.ts';
import { createTestConnector, KEY } from '../../test/support/test-connector.ts';
import { findBalance } from '../ledger/money/balance.ts';
import { findLostContact } from '../ledger/notices/contact.ts';
import type { AccountId } from '../submission/ids.ts';
import { readBalances } from './read-balances.ts';

const ACCOUNT = 'main' as AccountId;
const HOUR = 3_600_000;

describe('readings of the balance', () => {
  test('record it with its time, and since when the service does not respond', async (t) => {
    const service = await startFakeService(t, { apiKey: KEY });
    const { deps, ledger, now, pass } = await createTestConnector(t, { baseUrl: service.baseUrl });
    await readBalances(deps);
    assert.deepEqual(await findBalance(ledger.db, ACCOUNT), { amount: 1_000_000_000_000, at: now() });
    assert.equal(await findLostContact(ledger, ACCOUNT), null);
    const before = now();
    pass(HOUR);
    await service.close();
    const lostAt = now();
    await readBalances(deps);
    pass(HOUR);
    await readBalances(deps);
    const lost = await findLostContact(ledger, ACCOUNT);
    assert.equal(lost?.since, lostAt, 'since the first failure');
    assert.match(lost?.failure ?? '', /GET balance/);
    assert.equal((await findBalance(ledger.db, ACCOUNT))?.at, before, 'the last known balance stays');
  });

  test('count a refusal as a response: a rejected key is no outage', async (t) => {
    const service = await startFakeService(t, { apiKey: KEY });
    const { deps, ledger } = await createTestConnector(t, { baseUrl: service.baseUrl });
    service.setKeyWorks(false);
    await readBalances(deps);
    assert.equal(await findLostContact(ledger, ACCOUNT), null);
    assert.equal(await findBalance(ledger.db, ACCOUNT), null);
  });
});
