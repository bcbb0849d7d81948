import type { Watch } from '../config/config.ts';
import { isProjectOf } from '../submission/project-tag.ts';
import type { Url } from '../url/normalize-url.ts';
import { makeScope } from '../url/scope.ts';

/**
 * The watch that a job of the service's history belongs to: the only one with the job's project, else the only one in
 * whose scope all its URLs lie. Null when there is none or more than one: then you name it.
 */
export function findWatchOfJob(watches: readonly Watch[], project: string | null, urls: readonly Url[]): Watch | null {
  const named = project === null ? [] : watches.filter((watch) => isProjectOf(watch.project, project));
  const [only] = named;
  if (only !== undefined && named.length === 1) return only;
  const among = named.length > 1 ? named : watches;
  const holding = among.filter((watch) => {
    // Any host and any path: such a watch says nothing about whose job it is.
    if (watch.hosts === null && among.length > 1) return false;
    const inScope = makeScope({ hosts: watch.hosts ?? [], include: watch.include, exclude: watch.exclude });
    return urls.every((url) => inScope(url) === null);
  });
  const [holder] = holding;
  return holder !== undefined && holding.length === 1 ? holder : null;
}
