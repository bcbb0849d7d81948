import type { ProjectOfWatch } from '../ledger/jobs/history-hold.ts';
import type { WatchId } from '../submission/ids.ts';
import { isProjectOf } from '../submission/project-tag.ts';

/** The only watch that has bought under the project of a job, when it is not configured; else null. */
export function findMissingWatch(
  bought: readonly ProjectOfWatch[],
  configured: ReadonlySet<WatchId>,
  reported: string | null,
): WatchId | null {
  if (reported === null) return null;
  const [only, ...others] = new Set(
    bought.filter(({ project }) => isProjectOf(project, reported)).map(({ watch }) => watch),
  );
  return only === undefined || others.length > 0 || configured.has(only) ? null : only;
}
