import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startFakeService } from '../../test/fakes/service/fake-service.ts';
import { crawled } from '../../test/support/ledger.ts';
import { createTestConnector, KEY } from '../../test/support/test-connector.ts';
import type { WatchId } from '../submission/ids.ts';
import { previewWatch } from './preview.ts';

describe('a preview of a watch', () => {
  test('names what continues a run that nobody carries on', async (t) => {
    const service = await startFakeService(t, { apiKey: KEY });
    process.env.UNUSED = KEY;
    const { deps, ledger } = await createTestConnector(t, { baseUrl: service.baseUrl });
    // As after the end of a "run --once" that was held.
    await crawled(ledger, 'watch/left', { a: ['1'] });
    const config = { ...deps.config, ledgerUrl: 'sqlite::memory:' };
    const watch = config.watches.get('shop' as WatchId) ?? assert.fail();
    await assert.rejects(
      previewWatch({ config, ledger }, watch, t.signal, () => undefined),
      /watch\/left.*planned and charged nothing.*where no worker runs, "courier run shop --once" continues it/,
    );
  });
});
