import { explainUrl } from '../../../src/connector/explain-url.ts';
import type { Url } from '../../../src/url/normalize-url.ts';
import { readStates, readStatusCheck } from './onlooker.ts';
import { checkQuiet } from './oracle/reported-rule.ts';
import { checkStatusSays, checkWhy } from './oracle/reports-rule.ts';
import { onTerminal } from './programs.ts';
import { POISON } from './site.ts';
import type { World } from './world.ts';

/** Pages of each watch that are asked about: each takes a dozen statements. */
const ASKED = 3;

/** What is reported at the end is true. Workers and their requests are over by then. */
export async function compareReports(world: World): Promise<void> {
  const { kernel, oracle } = world;
  let done = false;
  const asking = onTerminal(() => ask(world)).finally(() => {
    done = true;
  });
  await kernel.play(() => done, 600_000);
  if (!done) oracle.breach('why and status --check gave no answer', { rule: 'reports' });
  else await asking;
}

async function ask(world: World): Promise<void> {
  const { oracle, site } = world;
  const ledger = await world.openOperatorLedger();
  const config = world.readConfig();
  const context = { config, ledger };
  const report = oracle.toReport('reports');
  for (const watch of config.watches.values()) {
    const sitemap = world.settings.watches.get(watch.id)!;
    const pages = site.list(sitemap);
    const step = Math.max(1, Math.floor(pages.length / ASKED));
    for (const { url } of pages.filter((_, n) => n % step === 0).slice(0, ASKED)) {
      const reported = (await explainUrl(context, url as Url)).find((each) => each.watch === watch.id);
      if (reported === undefined) report(`why says nothing of ${url}`, { url, watch: watch.id });
      else
        checkWhy(
          {
            ...oracle.getTruth(url, sitemap, url.includes(POISON)),
            ...readStates(world, url, watch.id),
            ...reported,
            ...{ url, watch: watch.id },
          },
          report,
        );
    }
  }
  const unbought = oracle.listUnbought(new Set(world.settings.watches.values()));
  const reported = await readStatusCheck(context);
  checkStatusSays(
    unbought,
    reported.map(({ subject, problem }) => `${subject}: ${problem}`),
    report,
  );
  checkQuiet(reported, new Set<string>(config.accounts.keys()), report);
}
