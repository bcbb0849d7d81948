import { findCover, findGlobProblem } from '../url/globs.ts';
import { findHostProblem } from '../url/hosts.ts';
import type { RawWatch } from './schema.ts';

/**
 * Reports hosts and globs that no URL can match. An exclusion that matches nothing is not harmless: the URLs that it
 * should leave out are bought.
 */
export function checkScope(
  id: string,
  { hosts = [], include = [], exclude = [] }: Pick<RawWatch, 'hosts' | 'include' | 'exclude'>,
  complain: (path: readonly string[], message: string) => void,
): void {
  const report = (key: 'hosts' | 'include' | 'exclude', at: number, problem: string | null) => {
    if (problem === null) return;
    complain(['watches', id, key, String(at)], problem);
  };
  for (const [at, host] of hosts.entries()) {
    const problem = host === '*' ? null : findHostProblem(host);
    report('hosts', at, problem && `"${host}": ${problem}`);
  }
  for (const key of ['include', 'exclude'] as const) {
    for (const [at, glob] of { include, exclude }[key].entries()) {
      const problem = findGlobProblem(glob);
      report(key, at, problem && `"${glob}": ${problem}`);
    }
  }
  for (const [at, glob] of include.entries()) {
    const cover = findCover(glob, exclude);
    report('include', at, cover && `"${glob}": no URL passes it, because exclude "${cover}" wins. Remove one of them`);
  }
  if (include.length > 0) return;
  const cover = findCover('/**', exclude);
  report(
    'exclude',
    exclude.indexOf(cover ?? ''),
    cover && `"${cover}": it excludes every URL, so the watch buys nothing`,
  );
}
