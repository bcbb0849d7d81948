import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { serviceTest, urlList } from '../../test/support/service.ts';
import { expireOverdue } from './deadlines.ts';
import { begin, finish, recordOutcomes } from './transitions.ts';

const HOUR = 3_600_000;
const deadlines = { fast: HOUR, standard: 5 * HOUR };

describe('processing deadlines', () => {
  serviceTest(
    'spec 3: an unprocessed submission ends at the deadline of its service level, with a reason and a refund',
    async ({ client, db }) => {
      const fast = (await client.post('/submissions', 'deadline-key-1', { urls: urlList(4), service: 'fast' })).body
        .data;
      const standard = (await client.post('/submissions', 'deadline-key-2', { urls: urlList(1), service: 'standard' }))
        .body;
      const at = (ms: number) => ({ db, deadlines, refundFailed: true, now: () => Date.parse(fast.created_at) + ms });
      assert.equal(await expireOverdue(at(HOUR - 1)), 0);
      assert.equal(await expireOverdue(at(HOUR)), 1);
      const ended = await client.detail(fast.reference);
      assert.deepEqual([ended.status, ended.urls_failed, ended.refunded], ['failed', 4, 1]);
      assert.equal(ended.urls[0]?.reason, 'not processed before the deadline of its service level');
      assert.equal((await client.detail(standard.data.reference)).status, 'queued');
      assert.equal(await expireOverdue(at(HOUR)), 0, 'once');
      assert.equal(await client.balance(), 999.75);
    },
  );

  serviceTest(
    'spec 3: at the deadline, URLs with an outcome keep it, and a late worker changes nothing',
    async ({ client, db }) => {
      const { data } = (await client.post('/submissions', 'deadline-key-3', { urls: urlList(4), service: 'fast' }))
        .body;
      const { reference } = data;
      const created = Date.parse(data.created_at);
      await begin(db, reference, created);
      await recordOutcomes(db, reference, [{ position: 2, status: 'completed', reason: null }], created);
      await expireOverdue({ db, deadlines, refundFailed: false, now: () => created + HOUR });
      await recordOutcomes(db, reference, [{ position: 0, status: 'completed', reason: null }], created + HOUR);
      assert.equal(await begin(db, reference, created + HOUR), false);
      assert.equal(await finish(db, reference, { refundFailed: true, now: created + HOUR }), 'partial');
      const ended = await client.detail(reference);
      assert.deepEqual([ended.urls_completed, ended.urls_failed, ended.refunded], [1, 3, 0]);
      assert.deepEqual(
        ended.urls.map(({ status }) => status),
        ['failed', 'failed', 'completed', 'failed'],
      );
    },
  );
});
