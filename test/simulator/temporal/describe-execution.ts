import type { Run } from './server.ts';

/** The name of an execution, and what its open activities wait for. */
export function describeExecution({ workflowId, activities }: Run): string {
  const pending = [...activities.values()].map(
    ({ command, attempt, lastFailure }) => `${command.type} ${attempt}: ${lastFailure?.message ?? ''}`,
  );
  return `${workflowId} (${pending.join(', ')})`;
}
