import { micros } from '../../../../contract/money.ts';
import { OperationError } from '../../../../src/connector/operation-error.ts';
import { LedgerError } from '../../../../src/ledger/ledger-error.ts';
import { pick } from '../../../support/seeded.ts';
import { applyPlan, type FiledPlan, filePlan } from '../plan-file.ts';
import { makePages } from '../scenario.ts';
import type { World } from '../world.ts';
import { NOTHING, type Play } from './play.ts';
import { startRuns } from './runs.ts';

const MINUTE = 60_000;

/** What `apply` refuses: what is due, its price or its caps have changed, or a copy of the ledger came back. */
async function applyOrRefuse(world: World, plan: FiledPlan, approvedBy: string | null): Promise<string> {
  try {
    return (await applyPlan(world, plan, { approvedBy })) ? 'is applied' : 'has no watch any more';
  } catch (error) {
    if (error instanceof OperationError) return 'is refused: another account';
    if (!(error instanceof LedgerError)) throw error;
    return `is refused: ${error.code}`;
  }
}

export const PLAN_PLAYS = {
  /** A plan is kept in a file, and applied later: its pages, prices and configuration may have changed, or it was applied before. */
  async 'plan, then apply'(world, { forMs }, random) {
    const { stores, kernel, oracle, happenings, settings } = world;
    const { ledger } = stores;
    const plan = await filePlan(world, pick(random, [...settings.watches.keys()])).catch((error: unknown) => {
      // A command on a ledger that is replaced meanwhile ends with it.
      if (stores.ledger === ledger) throw error;
      return null;
    });
    if (plan === null) return NOTHING;
    happenings.add('a plan is kept');
    const { run, cost, urls, isHeld } = plan;
    kernel.trace(`${run} is kept: ${urls.length} pages, ${cost}`);
    oracle.said({ run, by: 'the plan', cost, urls });
    await kernel.sleep(forMs);
    const isApproved = isHeld && random() < 0.7;
    const isAgain = random() < 0.3;
    if (isHeld && !isApproved) return;
    // What it buys may be sent before the command ends; one that is refused has approved nothing.
    if (isApproved) oracle.approved(run);
    const how = await applyOrRefuse(world, plan, isApproved ? 'operator' : null);
    if (how !== 'is applied') oracle.notApproved(run);
    kernel.trace(`${run} ${how}`);
    happenings.add(`a plan ${how}`);
    if (!isAgain || how !== 'is applied' || urls.length === 0) return;
    const again = await applyOrRefuse(world, plan, isApproved ? 'operator' : null);
    happenings.add(`a plan, again, ${again}`);
    if (again === 'is applied') oracle.breach(`${run} was applied twice`, { rule: 'said before' });
  },
  /** `courier run --max-cost`: often less than what is due costs. */
  async 'run with a limit'(world, { salt }, random) {
    const { happenings, scenario, site, kernel, stores } = world;
    for (const sitemap of scenario.watches.keys()) {
      const pages = makePages(random, sitemap, `l${salt}`, 1 + Math.floor(random() * 8), scenario);
      site.publish(sitemap, [...site.list(sitemap), ...pages]);
    }
    const { price, standardPrice = price } = scenario;
    await startRuns(world, { maxCost: micros(Math.floor(random() * 8) * Math.min(price, standardPrice)) });
    await kernel.sleep(5 * MINUTE);
    const row = stores.read.ledger
      .prepare(
        `SELECT count(*) AS runs, coalesce(sum(held_urls > 0), 0) AS short FROM runs WHERE name LIKE ? AND max_cost > 0`,
      )
      .get(`%/run-${world.runs}`) as { readonly runs: number; readonly short: number };
    happenings.add('a run has a limit', row.runs);
    happenings.add('a limit holds pages back', row.short);
  },
} satisfies Record<string, Play>;
