import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startFakeService } from '../../test/fakes/service/fake-service.ts';
import { createApiClient } from './client.ts';
import { unwrapData } from './errors.ts';
import { createHistoryReader, type SendRequest } from './history.ts';

describe('createHistoryReader', () => {
  test('reads on where only a Link header names the next page, also behind an empty one', async (t) => {
    const pages = [['R-1'], [], ['R-2']];
    const service = await startFakeService(t, {
      overrides: {
        list: (_, page) => ({
          status: 200,
          text: JSON.stringify({
            success: true,
            status: 'success',
            data: { submissions: (pages[page - 1] ?? []).map((reference) => ({ reference })) },
          }),
          headers: { link: page < pages.length ? `</submissions?page=${page + 1}>; rel="next"` : '</>; rel="first"' },
        }),
      },
    });
    const client = createApiClient({ baseUrl: service.baseUrl, apiKey: () => 'key-of-a-test' });
    t.after(() => client.close());
    const send: SendRequest = async (request) => unwrapData(await request(client));
    const next = createHistoryReader(send, null);
    const found: string[] = [];
    for (let page = await next(); page !== null; page = await next())
      found.push(...page.submissions.map(({ reference }) => reference));
    assert.deepEqual(found, ['R-1', 'R-2']);
    assert.deepEqual(new Set(service.requests.map((request) => request.split('?')[0])), new Set(['GET /submissions']));
  });
});
