/** No Temporal server responds. Nothing was submitted or charged. Exit code 5. */
export class TemporalUnreachableError extends Error {
  override readonly name = 'TemporalUnreachableError';
}
