import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startFakeService } from '../../test/fakes/service/fake-service.ts';
import { html } from '../../test/fakes/service/replies.ts';
import { createTestConnector } from '../../test/support/test-connector.ts';
import { unwrapData } from '../api-client/errors.ts';
import { sql } from '../database/sql.ts';
import type { AccountId } from '../submission/ids.ts';
import { confirmFirst, confirmShown } from './confirm-account.ts';

const MAIN = 'main' as AccountId;

describe('the address of an account', () => {
  test('is recorded once a worker has had an answer of the service, and by no command that reads', async (t) => {
    let isService = false;
    const { baseUrl } = await startFakeService(t, { overrides: { me: () => (isService ? null : html(404)) } });
    const { ledger, deps } = await createTestConnector(t, { baseUrl });
    const account = deps.getAccount(MAIN);
    process.env.UNUSED = 'a-key';
    t.after(() => delete process.env.UNUSED);
    const { confirm } = confirmFirst(deps.getApi(MAIN), {
      ...{ account, ledger, log: deps.log },
      toError: (message) => new Error(message),
    });
    const recorded = async () =>
      (await ledger.db.get(sql<{ base_url: string | null }>`SELECT base_url FROM ledger_accounts`))?.base_url ?? null;
    await confirm({ afresh: true });
    assert.equal(await recorded(), null, 'a page of another server is no answer of the service');
    isService = true;
    await confirmShown(ledger, account, (request) => deps.getApi(MAIN).request('poll', request).then(unwrapData));
    assert.equal(await recorded(), null);
    await confirm({ afresh: true });
    assert.equal(await recorded(), baseUrl);
  });
});
