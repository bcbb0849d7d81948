import type { Deps } from './deps.ts';
import type { CheckTurn, WatchRun } from './types.ts';
export function checkActivities(_deps: Deps) {
  return { checkNextBatch: async (_run: WatchRun): Promise<CheckTurn> => ({ kind: 'idle' }) };
}
