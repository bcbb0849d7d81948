import type { Priority } from '@temporalio/common';
import { DEFAULT_PRIORITY } from '../submission/run-priority.ts';

/**
 * Options of a run's start. Its workflow tasks and its activities on the queue of the crawls have the same priority. None for the
 * default, so that a server without priorities refuses nothing.
 */
export const toPriority = ({ priority }: { readonly priority: number }): { readonly priority?: Priority } =>
  priority === DEFAULT_PRIORITY ? {} : { priority: { priorityKey: priority } };
