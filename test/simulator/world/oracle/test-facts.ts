import { NO_CAPS } from './caps-rule.ts';
import type { Purchase, Sent } from './facts.ts';

/** Facts for the tests of rules: a batch of `w0` that was planned after the last of `order` deliveries, and sent at once. */
export const makeSent = (order: number, more: Partial<Sent> = {}): Sent => ({
  ...{ key: 'sc1-1', body: '{}', urls: [], level: 'fast', account: 'simulated', watch: 'w0', sitemap: 'w0' },
  label: { run: 'run-1', isRunComplete: true, isHeld: false, plannedAfter: order },
  ...{ caps: NO_CAPS, floor: 0, firstDay: 0, day: 0, since: 0, sentAfter: order, at: 0 },
  ...{ mayBeCharged: true, doubts: 1, answeredAt: null, answeredDay: null },
  ...more,
});

export const makePurchase = (reference: string, urls: readonly string[], sent: Sent): Purchase => ({
  ...{ reference, account: sent.account, amount: urls.length, balance: 0, urls, sent, at: sent.at },
});

/** A sitemap's file with these lastmods, by URL. */
export function toXml(pages: Readonly<Record<string, string | null>>): string {
  const entries = Object.entries(pages).map(
    ([url, lastmod]) => `<url><loc>${url}</loc>${lastmod === null ? '' : `<lastmod>${lastmod}</lastmod>`}</url>`,
  );
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`;
}
