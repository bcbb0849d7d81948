import { resumeRefused } from '../../../../src/ledger/batches/refusal-stop.ts';
import { forgetPages } from '../../../../src/ledger/forgotten/forget-pages.ts';
import type { ForgetSelection } from '../../../../src/ledger/forgotten/forget-selection.ts';
import { requireForgettable, surveyForget } from '../../../../src/ledger/forgotten/survey-forget.ts';
import { LedgerError } from '../../../../src/ledger/ledger-error.ts';
import { pruneLedger } from '../../../../src/ledger/retention/prune.ts';
import type { AccountId } from '../../../../src/submission/ids.ts';
import type { Url } from '../../../../src/url/normalize-url.ts';
import { pick } from '../../../support/seeded.ts';
import { SITE } from '../site.ts';
import type { World } from '../world.ts';
import { NOTHING, type Play } from './play.ts';
import { startRuns } from './runs.ts';

/** The least that the configuration allows. */
const LEAST_AGE_MS = 7 * 86_400_000;

/** What a ledger lets go, and what was stopped goes on. */
export const RETENTION_PLAYS = {
  /** Details that are old enough are removed; in some worlds the clocks show that all of them are. */
  async 'prune details'(world, _act, random) {
    const { kernel } = world;
    if (random() < 0.7) {
      kernel.epoch += LEAST_AGE_MS;
      kernel.trace('a week is over');
    }
    const ages = { runs: LEAST_AGE_MS, batches: LEAST_AGE_MS, index_checks: LEAST_AGE_MS };
    const pause = (ms: number) => kernel.sleep(Math.min(ms, 1));
    const pruned = await pruneLedger(await world.openOperatorLedger(), ages, { pause });
    kernel.trace(`pruned: ${JSON.stringify(pruned)}`);
  },
  /** Pages that are gone are forgotten: by their addresses, their host, or the watch that was removed. They may be listed again. */
  async 'forget pages'(world, { forMs }, random) {
    const { site, scenario, kernel } = world;
    const sitemap = pick(random, [...scenario.watches.keys()]);
    const pages = site.list(sitemap);
    const gone = pages.filter(() => random() < 0.4);
    site.publish(
      sitemap,
      pages.filter((page) => !gone.includes(page)),
    );
    await startRuns(world);
    await kernel.sleep(random() * forMs);
    await forget(
      world,
      drawSelection(
        random,
        gone.map(({ url }) => url as Url),
      ),
    );
    await kernel.sleep(random() * forMs);
    if (random() < 0.3) return;
    const listed = new Set(site.list(sitemap).map(({ url }) => url));
    site.publish(sitemap, [...site.list(sitemap), ...gone.filter(({ url }) => !listed.has(url))]);
    await startRuns(world);
  },
  /** `courier accounts resume`, with or without `--release`. */
  async 'resume account'(world, _act, random) {
    const account = world.pickAccount(random) as AccountId;
    const { stopped, batches } = await resumeRefused(await world.openOperatorLedger(), account, {
      ...{ release: random() < 0.5, by: 'operator' },
    });
    if (!stopped) return NOTHING;
    world.kernel.trace(`${account} was stopped: ${batches} batches`);
  },
} satisfies Record<string, Play>;

const drawSelection = (random: () => number, urls: readonly Url[]): ForgetSelection =>
  random() < 0.2 ? { kind: 'host', host: new URL(SITE).host } : { kind: 'urls', urls: new Set(urls) };

/** `courier ledger forget`, which refuses what a watch lists or what has not ended. */
async function forget(world: World, selection: ForgetSelection): Promise<void> {
  const { kernel, oracle, site } = world;
  const ledger = await world.openOperatorLedger();
  const input = { selection, configured: [...world.readConfig().watches.keys()] };
  try {
    requireForgettable(await surveyForget(ledger, input), input, 'courier ledger forget');
    const { pages, kept } = await forgetPages(ledger, input, { pause: () => kernel.sleep(1) });
    oracle.forgot(selection.kind === 'urls' ? [...selection.urls] : site.listEver());
    kernel.trace(`forgotten: ${pages} pages, ${kept} kept`);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    kernel.trace(`nothing was forgotten: ${error.message}`);
  }
}
