import type { Watch } from '../config/config.ts';
import { isProjectOf } from '../submission/project-tag.ts';
import type { Url } from '../url/normalize-url.ts';
import { makeScope } from '../url/scope.ts';

/**
 * The watch of a job from the service's history: the only one with the job's project, else the only one whose scope
 * covers all its URLs. Null when none or several match: then you name it.
 */
export function findWatchOfJob(watches: readonly Watch[], project: string | null, urls: readonly Url[]): Watch | null {
  const named = project === null ? [] : watches.filter((watch) => isProjectOf(watch.project, project));
  const [only] = named;
  if (only !== undefined && named.length === 1) return only;
  const among = named.length > 1 ? named : watches;
  const holding = among.filter((watch) => {
    // A watch for any host and any path says nothing about the owner of a job.
    if (watch.hosts === null && among.length > 1) return false;
    const inScope = makeScope({ hosts: watch.hosts ?? [], include: watch.include, exclude: watch.exclude });
    return urls.every((url) => inScope(url) === null);
  });
  const [holder] = holding;
  return holder !== undefined && holding.length === 1 ? holder : null;
}
