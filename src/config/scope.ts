import { findCover, findGlobProblem, type PatternProblem } from '../url/globs.ts';
import { findHostProblem, findPrivateHostProblem } from '../url/hosts.ts';
import { example, type Fault, write } from './fault.ts';
import type { RawWatch } from './schema.ts';

export type ScopeLists = Pick<RawWatch, 'hosts' | 'include' | 'exclude' | 'allow_private_hosts'>;

/**
 * Reports hosts and globs that no URL can match. An exclusion that matches nothing is not harmless: the URLs that it
 * should leave out are bought.
 */
export function checkScope(
  id: string,
  { hosts = [], include = [], exclude = [], allow_private_hosts: privateHosts = [] }: ScopeLists,
  complain: (path: readonly string[], fault: Fault) => void,
): void {
  const report = (key: 'hosts' | 'include' | 'exclude', at: number, says: string | null) => {
    if (says !== null) complain(['watches', id, key, String(at)], { says });
  };
  for (const [at, host] of hosts.entries()) {
    const problem = host === '*' ? null : findHostProblem(host);
    if (problem !== null) complain(['watches', id, 'hosts', String(at)], toFault(host, problem, HOSTS));
  }
  for (const [at, host] of privateHosts.entries()) {
    const problem = findPrivateHostProblem(host);
    if (problem !== null)
      complain(['watches', id, 'allow_private_hosts', String(at)], toFault(host, problem, PRIVATE_HOSTS));
  }
  for (const key of ['include', 'exclude'] as const) {
    for (const [at, glob] of { include, exclude }[key].entries()) {
      const problem = findGlobProblem(glob);
      if (problem !== null) complain(['watches', id, key, String(at)], toFault(glob, problem));
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

const PRIVATE_HOSTS = ['127.0.0.1', 'intranet.example', '10.0.0.0/8'];
const HOSTS = ['shop.example', 'shop.example:8443', '*.shop.example'];

const toFault = (value: string, { says, write: meant }: PatternProblem, examples: readonly string[] = []): Fault => ({
  says: `"${value}": ${says}`,
  proposals: [write(meant), example(examples)],
});
