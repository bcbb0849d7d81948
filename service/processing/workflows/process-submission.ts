import { proxyActivities, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { ServiceLevel, SubmissionState } from '../../../contract/states.ts';
import type { ProcessingActivities } from '../activities.ts';

export interface ProcessInput {
  readonly reference: string;
  readonly service: ServiceLevel;
}

/** Retries have no limit here: the deadline of a submission is enforced in its row, which ends the activities too. */
const retry = { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' } as const;
const fast = proxyActivities<ProcessingActivities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '12 seconds',
  retry,
  priority: { priorityKey: 1 },
});
const standard = proxyActivities<ProcessingActivities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '12 seconds',
  retry,
  priority: { priorityKey: 3 },
});

/** Takes an accepted submission from queued to its end. The id of the workflow is the reference. */
export async function processSubmission({ reference, service }: ProcessInput): Promise<SubmissionState> {
  const activities = service === 'fast' ? fast : standard;
  const { queuedMs, stepMs, steps } = await activities.planProcessing(reference, service);
  setCurrentDetails(`**queued**, ${service}, ${steps} steps to come`);
  if (queuedMs > 0) await sleep(queuedMs, { summary: 'Queued' });
  if (await activities.beginProcessing(reference)) {
    for (let step = 0; step < steps; step++) {
      setCurrentDetails(`**processing**, step ${step + 1} of ${steps}`);
      if (stepMs > 0) await sleep(stepMs, { summary: `Before step ${step + 1} of ${steps}` });
      await activities.processStep.executeWithOptions({ summary: `Step ${step + 1} of ${steps}` }, [reference, step]);
    }
  }
  const state = await activities.finishProcessing(reference);
  setCurrentDetails(`**${state}**`);
  return state;
}
