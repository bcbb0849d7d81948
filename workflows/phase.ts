import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { NO_SEARCH_ATTRIBUTES, SEARCH_ATTRIBUTES } from '../src/temporal-api/search-attributes.ts';
import { toKeyword } from '../src/temporal-api/summary.ts';

/**
 * Shows the phase as a search attribute, except in a workflow that was started in a namespace without ours. The state of a
 * job is the service's own word.
 */
export function showPhase(phase: string, summary: string): void {
  if (workflowInfo().memo?.[NO_SEARCH_ATTRIBUTES] === true) return;
  upsertSearchAttributes([
    { key: SEARCH_ATTRIBUTES.phase, value: toKeyword(phase) },
    { key: SEARCH_ATTRIBUTES.summary, value: toKeyword(summary) },
  ]);
}
