/** No Temporal server answers. Nothing was submitted or charged. Exit code 5. */
export class TemporalUnreachableError extends Error {
  override readonly name = 'TemporalUnreachableError';
}
