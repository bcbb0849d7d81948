import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { NO_SEARCH_ATTRIBUTES, SEARCH_ATTRIBUTES } from '../src/temporal-api/search-attributes.ts';
import { toKeyword } from '../src/temporal-api/summary.ts';

/**
 * Shows the phase as a search attribute, except in a workflow that was started in a namespace without ours. The state of a
 * job is the service's own word.
 */
export function showPhase(phase: string, summary: string): void {
  const { memo, typedSearchAttributes } = workflowInfo();
  if (memo?.[NO_SEARCH_ATTRIBUTES] === true) return;
  const value = { key: SEARCH_ATTRIBUTES.phase, value: toKeyword(phase) };
  // An execution that older code started may run in a namespace that does not have this one.
  const isKnown = typedSearchAttributes.get(SEARCH_ATTRIBUTES.summary) !== undefined;
  upsertSearchAttributes(isKnown ? [value, { key: SEARCH_ATTRIBUTES.summary, value: toKeyword(summary) }] : [value]);
}
