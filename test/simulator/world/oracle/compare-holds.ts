import { isMoneyShort } from '../money-short.ts';
import type { World } from '../world.ts';
import { checkHold, type ShownToRun } from './hold-rule.ts';
import { toVersion } from './moments.ts';

interface HeldRow {
  readonly run: string;
  readonly watch: string;
  readonly held: string;
}

/** Every run that the ledger has held, for whatever it says. */
export function compareHolds(world: World): void {
  const { stores, oracle, settings, scenario } = world;
  // What a copy lacks is new once more, and counts as gone where its pages are.
  if (world.wasRestored) return;
  const rows = stores.read.ledger
    .prepare(
      'SELECT r.name AS run, w.name AS watch, r.held FROM runs AS r JOIN watches AS w ON w.id = r.watch_id WHERE r.held IS NOT NULL',
    )
    .all() as unknown as HeldRow[];
  const mayLackMoney = isMoneyShort(scenario) || oracle.hadLimits;
  for (const { run, watch, held } of rows) {
    const shown = findShown(world, run, watch);
    const codes = (JSON.parse(held) as { reasons: readonly { code: string }[] }).reasons.map(({ code }) => code);
    if (shown !== null)
      checkHold(shown, codes, { policy: settings.policy.guard, mayLackMoney }, oracle.toReport('guards'));
  }
}

/** What a run was shown, and what crawls of its sitemaps were shown before; null: not known. */
function findShown({ oracle }: World, run: string, watch: string): ShownToRun | null {
  const { listings } = oracle;
  const own = listings.listRun(run);
  const [first, last] = [own[0], own.at(-1)];
  if (first === undefined || last === undefined) return null;
  const current = listings.at(first.sitemap, last.order).flatMap(({ pages }) => [...pages]);
  const now = new Map(current.map(([url, lastmod]) => [url, toVersion(lastmod)]));
  const earlier = listings.listAll(first.sitemap).filter(({ order }) => order < first.order);
  const before = new Map<string, Set<string | null>>();
  for (const { pages } of earlier) {
    for (const [url, lastmod] of pages) before.set(url, (before.get(url) ?? new Set()).add(toVersion(lastmod)));
  }
  // While it was away its pages may have moved to the watch of another name, and what moves back is not known to it.
  const away = oracle.findAway(watch, first.order);
  const since = new Set(earlier.filter(({ order }) => order > away).flatMap(({ pages }) => [...pages.keys()]));
  const hasOther = ([url, version]: readonly [string, string | null]) =>
    [...(before.get(url) ?? [])].some((each) => each !== version);
  return {
    ...{ run, watch, listed: now.size },
    newest: [...now.keys()].filter((url) => !oracle.wasBoughtBefore(url, first.at)).length,
    known: [...now.keys()].filter((url) => since.has(url) && oracle.wasBoughtBefore(url, first.at)).length,
    changed: [...now].filter(hasOther).length,
    gone: [...before.keys()].filter((url) => !now.has(url)).length,
  };
}
