import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';

/**
 * Waits for `work` until `woken` is true; then cancels the work and returns null. A cancellation of the workflow itself
 * passes through.
 */
export async function raceWithSignal<T>(work: () => Promise<T>, woken: () => boolean): Promise<T | null> {
  let result: T | null = null;
  try {
    await CancellationScope.cancellable(async () => {
      const scope = CancellationScope.current();
      result = await Promise.race([work(), condition(woken).then(() => null)]);
      scope.cancel();
    });
  } catch (error) {
    // We cancelled the work.
    if (!isCancellation(error) || CancellationScope.current().consideredCancelled) throw error;
  }
  return result;
}
