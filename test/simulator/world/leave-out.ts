import type { JobTaken } from '../../../src/connector/recover-job.ts';
import { readSitemap } from './oracle/request-reader.ts';

/**
 * Whether an operator says that jobs which match no watch are not theirs. Their project names the watch: one that the operator
 * has removed and puts back, by its sitemap in `removed`, would buy their pages again.
 */
export const mayLeaveOut = (taken: readonly JobTaken[], removed: ReadonlySet<string>): boolean =>
  !taken.some((job) => job.kind === 'unassigned' && job.project !== null && removed.has(readSitemap(job.project)));
