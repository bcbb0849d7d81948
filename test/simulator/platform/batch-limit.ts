import { LIMITS } from '../../../contract/limits.ts';

const SPECIFIED: number = LIMITS.submissionUrls;

/**
 * A batch has so many URLs at most from now on, for the connector and for the service; null: as many as the specification
 * says. Few pages then make a plan of several batches.
 */
export function limitBatches(urls: number | null): void {
  Object.assign(LIMITS, { submissionUrls: urls ?? SPECIFIED });
}
