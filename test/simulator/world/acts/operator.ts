import { cancelBatch } from '../../../../src/ledger/batches/cancel-batch.ts';
import { listQuarantined, releaseUrl } from '../../../../src/ledger/jobs/quarantine.ts';
import { LedgerError } from '../../../../src/ledger/ledger-error.ts';
import { listBatches } from '../../../../src/ledger/reports/lists.ts';
import { rejectUpdate } from '../../../../src/temporal-api/messages.ts';
import { pick } from '../../../support/seeded.ts';
import { createClient } from '../../temporal/client.ts';
import { approve, leaveReview, listHeldRuns, listReviews, recover } from '../operator.ts';
import { NOTHING, type Play } from './play.ts';
import { wake } from './runs.ts';

export const OPERATOR_PLAYS = {
  async approve(world) {
    const held = listHeldRuns(world);
    for (const name of held) await approve(world, name);
    if (held.length === 0) return NOTHING;
  },
  async reject(world) {
    const client = createClient(world.temporal, world.operator);
    const held = listHeldRuns(world);
    for (const name of held) {
      const handle = client.workflow.getHandle(name);
      await handle.executeUpdate(rejectUpdate, { args: [{ by: 'operator' }] }).catch(() => undefined);
    }
    if (held.length === 0) return NOTHING;
  },
  async 'cancel batch'(world, _act, random) {
    const ledger = await world.openOperatorLedger();
    const open = (await listBatches(ledger, { limit: 50 })).filter(
      ({ state }) => state === 'planned' || state === 'sending',
    );
    if (open.length === 0) return NOTHING;
    await cancelBatch(ledger, pick(random, open).batch, 'operator').catch((error: unknown) => {
      // It is in doubt, or was sent meanwhile: nothing was changed.
      if (!(error instanceof LedgerError)) throw error;
    });
  },
  async 'release quarantine'(world, _act, random) {
    const ledger = await world.openOperatorLedger();
    const all = await listQuarantined(ledger);
    if (all.length === 0) return NOTHING;
    const { watch, url } = pick(random, all);
    if (!(await releaseUrl(ledger, watch, url))) return NOTHING;
    world.oracle.allowAgain(url);
    world.kernel.trace(`released ${url} from quarantine`);
  },
  /** Nobody asks whether a batch in review was charged. */
  async 'leave batch'(world, _act, random) {
    const reviews = listReviews(world);
    if (reviews.length === 0) return NOTHING;
    await leaveReview(world, pick(random, reviews));
  },
  /** Although nothing was lost: that must be harmless. */
  recover: async (world) => (world.isRecovering || world.removed.size > 0 ? NOTHING : recover(world)),
  wake: (world) => wake(world),
} satisfies Record<string, Play>;
