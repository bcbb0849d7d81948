import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { NO_SEARCH_ATTRIBUTES, SEARCH_ATTRIBUTES } from '../src/temporal-api/search-attributes.ts';

/** Longer values are refused by SQL databases of Temporal; the state of a job is the service's own word. */
const MOST_CHARACTERS = 200;

/** Shows the phase as a search attribute, except in a workflow that was started in a namespace without ours. */
export function showPhase(phase: string): void {
  if (workflowInfo().memo?.[NO_SEARCH_ATTRIBUTES] === true) return;
  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.phase, value: phase.slice(0, MOST_CHARACTERS) }]);
}
