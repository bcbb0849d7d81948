/**
 * The Crawl-delay that a robots.txt asks of a user agent, in milliseconds; null when it asks for none. The group that
 * names the agent decides, else the group of `*`. Several groups of one agent are one group (RFC 9309); of several delays
 * the longest counts.
 */
export function parseCrawlDelay(robots: string, userAgent: string): number | null {
  const product = /^[a-z_-]+/i.exec(userAgent)?.[0].toLowerCase() ?? '';
  const delays = new Map<string, number | null>();
  let agents: string[] = [];
  let inRules = false;
  for (const line of robots.split(/[\r\n]+/)) {
    const [, key = '', value = ''] = /^\s*([a-z-]+)\s*:\s*([^#]*?)\s*(?:#.*)?$/i.exec(line) ?? [];
    const name = key.toLowerCase();
    if (name === 'user-agent') {
      if (inRules) agents = [];
      inRules = false;
      agents.push(value.toLowerCase());
      if (!delays.has(value.toLowerCase())) delays.set(value.toLowerCase(), null);
    } else if (name === 'crawl-delay' && /^\d{1,9}(\.\d+)?$/.test(value)) {
      inRules = true;
      for (const agent of agents) delays.set(agent, Math.max(delays.get(agent) ?? 0, Number(value) * 1_000));
    } else if (name === 'allow' || name === 'disallow' || name === 'crawl-delay') inRules = true;
  }
  const own = delays.get(product);
  return (own === undefined ? delays.get('*') : own) || null;
}
