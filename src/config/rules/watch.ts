import { compileHosts } from '../../url/hosts.ts';
import { example, guess, write } from '../fault.ts';
import { findNearest } from '../suggest.ts';
import { at, eachEntry, eachWatch } from './each.ts';
import type { Found } from './rule.ts';
import { isNearby } from './service-address.ts';

const listSitemapHosts = ({
  sitemaps = [],
  robots,
}: {
  readonly sitemaps?: readonly (string | null)[];
  readonly robots?: string;
}) => [...new Set([...sitemaps, robots].flatMap((source) => (source == null ? [] : (URL.parse(source)?.host ?? ''))))];

/** The part of a host that its owner has: shop.example of www.shop.example:8443. */
const getSite = (host: string): string => host.replace(/:\d+$/, '').split('.').slice(-2).join('.');

/**
 * Hosts that none of the sitemaps is on. Sitemaps elsewhere are usual (a content network, another host of the same site);
 * a host that differs from theirs in a few letters, or hosts that have nothing to do with them, usually buy nothing.
 */
export const findForeignHosts = eachWatch(({ watch, toPath }) => {
  const { hosts = [] } = watch;
  const theirs = listSitemapHosts(watch).filter((host) => host !== '');
  const sites = theirs.map(getSite);
  const named = hosts.filter((host): host is string => host !== null);
  if (theirs.length === 0 || named.length < hosts.length || named.includes('*')) return [];
  const isTheirs = (host: string) =>
    theirs.some((each) => compileHosts([host])(new URL(`https://${each}/`))) || sites.includes(getSite(host));
  const misspelt = named.flatMap((host, place): readonly Found[] => {
    const near = isTheirs(host) ? null : findNearest(host, theirs);
    const says = `"${host}" differs from the host of the sitemap in a few letters; no URL of the sitemap may be on it`;
    return near === null ? [] : at(toPath('hosts', String(place)), { says, proposals: [guess(near)] });
  });
  if (misspelt.length > 0 || named.length === 0 || named.some(isTheirs)) return misspelt;
  const says = `none of these is a host of the sitemaps (${theirs.join(', ')}): URLs there would not be bought`;
  return at(toPath('hosts'), { says, proposals: [write([[...named, ...theirs]])] });
});

export const findLoosePercent = eachWatch(({ watch: { guard }, toPath }) => {
  const percent = guard?.max_new_percent;
  if (percent === undefined || percent <= 100) return [];
  const says = `${percent} lets a site grow ${Math.floor(percent / 100) + 1}-fold in one run without approval; it is in percent of the URLs known`;
  return at(toPath('guard', 'max_new_percent'), { says, proposals: [write([100], { after: ' or less' })] });
});

/** Control characters, and those that change how a line is read without being shown. */
const CONTROL = /[\p{Cc}\u200b\u2028-\u202e\u2066-\u2069\ufeff]/u;

export const findProjectCharacters = eachWatch(({ watch: { project }, toPath }) => {
  if (project === undefined || (!CONTROL.test(project) && project.trim().length > 1)) return [];
  const clean = project.replaceAll(new RegExp(`${CONTROL.source}+`, 'gu'), ' ').trim();
  const says = CONTROL.test(project)
    ? 'has a line break or another character that is not shown; the service may refuse each submission'
    : 'is blank; the service may refuse each submission';
  return at(toPath('project'), {
    says,
    proposals: [write(clean.length > 1 ? [clean] : []), example(['Shop nightly'])],
  });
});

/** Node refuses them at each request. */
export const findHeaderMistakes = eachWatch(({ watch: { headers = {} }, toPath }) =>
  Object.entries(headers).flatMap(([name, value]) => {
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name))
      return [{ path: toPath('headers', name), at: 'key', fault: { says: 'is not the name of a header' } }];
    if (typeof value === 'string' && /[^\t\x20-\x7e\x80-\xff]/.test(value))
      return at(toPath('headers', name), { says: 'has a character that a header cannot have, such as a line break' });
    return [];
  }),
);

export const findHeaderSecrets = eachEntry('headers', (value, name) =>
  typeof value === 'string' && /^(authorization|proxy-authorization|cookie|x-api-key)$/i.test(name)
    ? {
        says: 'has a secret in the file, where everyone who reads the file has it',
        proposals: [example([{ env: 'STAGING_AUTH' }])],
      }
    : null,
);

/** A crawl refuses them. The address is not shown. */
export const findSourceCredentials = eachWatch(({ watch: { sitemaps = [], robots }, toPath }) =>
  [
    ...sitemaps.map((source, place) => [toPath('sitemaps', String(place)), source] as const),
    [toPath('robots'), robots] as const,
  ].flatMap(([path, source]) => {
    const { username = '', password = '' } = (source == null ? null : URL.parse(source)) ?? {};
    if (username === '' && password === '') return [];
    return at(path, { says: 'has a user name or password, which no crawl sends; use "headers" of the watch' });
  }),
);

export const findRobotsMistakes = eachWatch(({ watch: { robots }, toPath }) => {
  const address = robots === undefined ? null : URL.parse(robots);
  if (address === null || /robots[^/]*\.txt$/i.test(address.pathname)) return [];
  const says = 'is not the address of a robots.txt, whose Sitemap lines are read; a sitemap belongs into "sitemaps"';
  return at(toPath('robots'), { says, proposals: [example([`${address.origin}/robots.txt`])] });
});

/** What an address names: case of the host and what stands behind # make no other document. */
const toDocument = (source: string): string => {
  const url = URL.parse(source);
  return url === null ? source : url.href.slice(0, url.href.length - url.hash.length);
};

export const findSitemapSpaces = eachEntry('sitemaps', (source) =>
  /^https?:.*\s/is.test(source)
    ? { says: 'has a space in it: several addresses are entries of the list of their own' }
    : null,
);

export const findRobotsAmongSitemaps = eachEntry('sitemaps', (source) =>
  /^https?:\/\/[^/]+\/robots\.txt$/i.test(source)
    ? { says: 'is a robots.txt and no sitemap; name it in "robots" of the watch, which reads its Sitemap lines' }
    : null,
);

/** What URL takes for a host and no domain is. */
export const findHostCharacters = eachEntry('sitemaps', (source) =>
  /[^a-z0-9._:[\]-]|\.\./.test(URL.parse(source)?.host ?? '')
    ? { says: `"${source}" has a host that cannot exist: letters, digits, "-" and single dots alone` }
    : null,
);

/** The crawler connects to no private address that is not named. Names other than localhost may be anywhere. */
export const findPrivateSitemaps = eachEntry('sitemaps', (source, _, { allow_private_hosts: allowed = [] }) => {
  const host = (URL.parse(source)?.hostname ?? '').replace(/^\[|\]$/g, '');
  const isPrivate = host === 'localhost' || (/^[\d.]+$|:/.test(host) && isNearby(host));
  if (!isPrivate || allowed.length > 0) return null;
  return {
    says: `${host} is a private host, which is not read; name it in "allow_private_hosts: [${host}]" of the watch`,
  };
});

/** What the crawler sets itself. */
export const findReservedHeaders = eachEntry('headers', (_, name) =>
  /^(host|content-length|transfer-encoding|connection|accept-encoding)$/i.test(name)
    ? { says: 'belongs to the connection, which the crawler makes itself; leave it out' }
    : null,
);

export const findAllPrivate = eachEntry('allow_private_hosts', (host) =>
  /\/[0-7]$/.test(host)
    ? { says: `"${host}" is nearly every address, so a sitemap could lead the crawler to any machine of your network` }
    : null,
);

export const findRepeatedSitemaps = eachEntry('sitemaps', (source, place, { sitemaps = [] }) =>
  sitemaps.findIndex((other) => other !== null && toDocument(other) === toDocument(source)) < Number(place)
    ? { says: 'is named twice; it is read once. Remove one of them' }
    : null,
);
