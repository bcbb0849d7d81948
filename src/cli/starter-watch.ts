import type { StarterWatch } from '../config/starter-config.ts';
import type { SiteSurvey } from '../sitemap/survey-site.ts';

/**
 * The watch that a survey proposes, or null when no sitemap was found. Its hosts are the site's own, with and without
 * `www.`; where the sitemaps name none of these, the most frequent one; where no page could be read, the host that was
 * named and the one that answered for it. `taken`: names that other watches have.
 */
export function toStarterWatch(
  { source, answeredBy, urls, withLastmod, hosts }: SiteSurvey,
  { taken, allowPrivateHosts }: { readonly taken: ReadonlySet<string>; readonly allowPrivateHosts: boolean },
): StarterWatch | null {
  if (source === null) return null;
  const { host, hostname } = new URL(source.url);
  const bare = host.replace(/^www\./, '');
  const own = [...hosts.keys()].filter((each) => each === bare || each === `www.${bare}`);
  const [mostFrequent] = hosts.keys();
  const proposed =
    own.length > 0 ? own : mostFrequent === undefined ? [...new Set([host, answeredBy ?? host])] : [mostFrequent];
  return {
    id: findFreeName(toName(hostname), taken),
    source,
    hosts: proposed,
    otherHosts: new Map([...hosts].filter(([each]) => !proposed.includes(each))),
    urls,
    withLastmod,
    privateHosts: allowPrivateHosts ? [hostname] : [],
  };
}

/** The first label of a host, without `www`: "shop" of www.shop.example. */
function toName(hostname: string): string {
  const [label = ''] = hostname.replace(/^www\./, '').split('.');
  const name = label
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '')
    .slice(0, 40);
  return /^[a-z]/.test(name) ? name : 'site';
}

function findFreeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let n = 2; ; n++) if (!taken.has(`${name}-${n}`)) return `${name}-${n}`;
}
