import { findHeldRun } from '../../../src/ledger/reports/run-problem.ts';
import type { Forecast } from '../../../src/submission/hold-question.ts';
import type { RunId, WatchId } from '../../../src/submission/ids.ts';
import { rejectUpdate } from '../../../src/temporal-api/messages.ts';
import { seeded } from '../../support/seeded.ts';
import { createClient } from '../temporal/client.ts';
import { readCommitted } from './committed-ledger.ts';
import { approve } from './operator.ts';
import type { World } from './world.ts';

/** How an operator decides about held runs while the world is bad; at last all are approved that wait. */
export interface Decider {
  /** From the first look to the decision; null: none is made. */
  readonly afterMs: readonly [number, number] | null;
  /** An approval costs so much at most, in micro-lira; what costs more is rejected. */
  readonly most: number;
}

interface Seen extends Forecast {
  /** Since the beginning, in milliseconds. */
  readonly decideAt: number;
}

const HELD = `SELECT r.name AS run, w.name AS watch FROM runs AS r JOIN watches AS w ON w.id = r.watch_id
  WHERE r.held IS NOT NULL AND r.decision IS NULL AND r.ended_at IS NULL`;

/** Looks at each held run, and decides about it later, by what it was shown then: what waits may change meanwhile. */
export function createDecisions(world: World, { afterMs, most }: Decider): () => Promise<void> {
  const { scenario, kernel, stores, happenings } = world;
  const random = seeded(scenario.seed ^ 0xdec1);
  const seen = new Map<string, Seen>();

  async function look(run: string, watch: string): Promise<void> {
    // It can only be rejected: the command says so.
    if (!world.readConfig().watches.has(watch as WatchId)) return;
    const held = await findHeldRun(readCommitted(world), run as RunId);
    if (held === null) return;
    const { urls, cost } = held.forecast;
    const [least, longest] = afterMs ?? [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    const waitMs = afterMs === null ? least : least + random() ** 2 * (longest - least);
    seen.set(run, { ...held.forecast, decideAt: kernel.elapsed + waitMs });
    kernel.trace(`${run} is looked at: ${urls} pages, ${cost}`);
    happenings.add(afterMs === null ? 'a held run is never decided' : 'a held run is looked at');
  }

  function decide(run: string, { cost }: Seen): void {
    seen.delete(run);
    const handle = createClient(world.temporal, world.operator).workflow.getHandle(run);
    const isApproved = cost === null || cost <= most;
    happenings.add(isApproved ? 'a held run is approved later' : 'a held run is rejected for its cost');
    // Waits for a worker: not here. What fails is looked at again.
    if (isApproved) void approve(world, run);
    else handle.executeUpdate(rejectUpdate, { args: [{ by: 'operator' }] }).catch(() => undefined);
  }

  return async () => {
    const held = stores.read.ledger.prepare(HELD).all() as { run: string; watch: string }[];
    for (const { run, watch } of held) {
      const known = seen.get(run);
      if (known === undefined) await look(run, watch);
      else if (known.decideAt <= kernel.elapsed) decide(run, known);
    }
  };
}
