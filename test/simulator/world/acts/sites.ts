import { pick } from '../../../support/seeded.ts';
import { makePages } from '../scenario.ts';
import type { Page } from '../site.ts';
import { NOTHING, type Play } from './play.ts';

export const SITE_PLAYS = {
  async 'change pages'({ site, scenario, kernel }, { salt }, random) {
    const watch = pick(random, [...scenario.watches.keys()]);
    const day = new Date(kernel.now()).toISOString().slice(0, 10);
    const leaving = random() < 0.5 ? 0 : random() < 0.8 ? 0.2 : 0.7;
    const changing = random() < 0.5 ? 0 : 0.3;
    const kept = site.list(watch).flatMap((page) => {
      if (random() < leaving) return [];
      return [page.lastmod !== null && random() < changing ? { ...page, lastmod: day } : page];
    });
    const added = random() < 0.7 ? makePages(random, watch, `n${salt}`, 1 + Math.floor(random() * 10), scenario) : [];
    site.publish(watch, [...kept, ...added]);
  },
  /** Pages are listed by the sitemap of another watch from now on, and by the old one too for a while, or permanently. */
  async 'move pages'({ site, scenario, kernel }, { forMs }, random) {
    const names = [...scenario.watches.keys()];
    const from = pick(random, names);
    const to = pick(random, names);
    if (from === to) return NOTHING;
    const share = random();
    const moved = new Set(site.list(from).filter(() => random() < share));
    const there = new Set(site.list(to).map(({ url }) => url));
    site.publish(to, [...site.list(to), ...[...moved].filter(({ url }) => !there.has(url))]);
    if (random() < 0.5) await kernel.sleep(forMs);
    if (random() < 0.8)
      site.publish(
        from,
        site.list(from).filter((page) => !moved.has(page)),
      );
  },
  /** A generator that gives another date, an older one or none at each turn. */
  async 'flap lastmods'({ site, scenario, kernel }, { forMs }, random) {
    const watch = pick(random, [...scenario.watches.keys()]);
    const share = random() * 0.5;
    for (let turn = 0; turn < 3; turn++) {
      const day = new Date(kernel.now() - Math.floor(random() * 40) * 86_400_000).toISOString().slice(0, 10);
      const change = (page: Page): Page =>
        page.lastmod !== null && random() < share ? { ...page, lastmod: day } : page;
      site.publish(watch, site.list(watch).map(change));
      await kernel.sleep(forMs);
    }
  },
  /** A generator that sorts by date: pages that change go to another file of their sitemap. */
  async 'move to other file'({ site, scenario, kernel }, _act, random) {
    if (scenario.hasTwoFiles !== true) return NOTHING;
    const watch = pick(random, [...scenario.watches.keys()]);
    const day = new Date(kernel.now()).toISOString().slice(0, 10);
    const pages = site.list(watch).map((page) => {
      if (random() < 0.5) return page;
      site.moveToOtherFile(page.url);
      return page.lastmod === null ? page : { ...page, lastmod: day };
    });
    site.publish(watch, pages);
  },
  /** A generator that begins to write lastmods: no page has changed by that. */
  async 'date pages'({ site, scenario, kernel }, _act, random) {
    const watch = pick(random, [...scenario.watches.keys()]);
    const day = new Date(kernel.now()).toISOString().slice(0, 10);
    site.publish(
      watch,
      site.list(watch).map((page) => ({ ...page, lastmod: page.lastmod ?? day })),
    );
  },
  /** All pages are gone, and come back. */
  async 'empty sitemap'({ site, scenario, kernel }, { forMs }, random) {
    const watch = pick(random, [...scenario.watches.keys()]);
    const pages = site.list(watch);
    site.publish(watch, pages.slice(0, Math.floor(random() * 3)));
    await kernel.sleep(forMs);
    const urls = new Set(site.list(watch).map(({ url }) => url));
    site.publish(watch, [...site.list(watch), ...pages.filter(({ url }) => !urls.has(url))]);
  },
} satisfies Record<string, Play>;
