import { pick } from '../../../support/seeded.ts';
import { makePages } from '../scenario.ts';
import { FAILS, FAILS_ONCE, FORMATS, POISON } from '../site.ts';
import { NOTHING, type Play } from './play.ts';
import { startRuns } from './runs.ts';

export const PEOPLE_SITE_PLAYS = {
  /** Most pages of a watch are gone at once, and others are new: its run is held. */
  async relaunch(world, { salt }, random) {
    const { site, scenario } = world;
    const sitemap = pick(random, [...scenario.watches.keys()]);
    const kept = site.list(sitemap).filter(() => random() < 0.4);
    const pages = makePages(random, sitemap, `r${salt}`, 2 + Math.floor(random() * 8), scenario);
    site.publish(sitemap, [...kept, ...pages]);
    world.happenings.add('a site is relaunched');
    await startRuns(world);
  },
  /** Pages that the service has failed or refused, or soon will, are listed by another sitemap alone, half of the time until they come back. */
  async 'move failed pages'(world, { forMs }, random) {
    const { site, scenario, kernel, stores, happenings } = world;
    const [from = '', to = ''] = random() < 0.5 ? [...scenario.watches.keys()] : [...scenario.watches.keys()].reverse();
    const pages = site.list(from).filter(({ url }) => [FAILS, FAILS_ONCE, POISON].some((each) => url.includes(each)));
    if (pages.length === 0 || from === to) return NOTHING;
    const isFailed = stores.read.ledger.prepare(
      `SELECT 1 FROM urls WHERE url = ? AND state IN ('failed', 'quarantined')`,
    );
    const failed = pages.filter(({ url }) => isFailed.get(url) !== undefined);
    happenings.add('a failed page moves', failed.length);
    const move = (one: string, other: string) => {
      const urls = new Set(pages.map(({ url }) => url));
      const stay = (sitemap: string) => site.list(sitemap).filter(({ url }) => !urls.has(url));
      site.publish(other, [...stay(other), ...pages]);
      site.publish(one, stay(one));
    };
    move(from, to);
    await startRuns(world);
    if (random() < 0.5) return;
    await kernel.sleep(forMs);
    move(to, from);
    happenings.add('a failed page is back', failed.length);
    await startRuns(world);
  },
  /** The generator of a sitemap writes its lastmods in another format from now on. */
  async 'change format'({ site, scenario, happenings }, _act, random) {
    const sitemap = pick(random, [...scenario.watches.keys()]);
    site.formats.set(sitemap, pick(random, FORMATS));
    site.publish(sitemap, site.list(sitemap));
    happenings.add('a sitemap changes its format');
  },
  /** Pages change at a time of the day, and every sitemap that lists them says so. */
  async 'edit pages'(world, _act, random) {
    const { site, scenario, kernel, happenings } = world;
    const edited = new Set(
      site
        .listAll()
        .filter(({ lastmod }) => lastmod !== null && random() < 0.5)
        .map(({ url }) => url),
    );
    const lastmod = new Date(kernel.now()).toISOString();
    for (const sitemap of scenario.watches.keys()) {
      const pages = site.list(sitemap).map((page) => (edited.has(page.url) ? { ...page, lastmod } : page));
      happenings.add('an edited page is listed', pages.filter(({ url }) => edited.has(url)).length);
      site.publish(sitemap, pages);
    }
    const listed = [...edited].filter((url) => site.listSitemaps(url).length > 1);
    happenings.add('a shared page is edited', listed.length);
    if (random() < 0.7) await startRuns(world);
  },
} satisfies Record<string, Play>;
