import type { Database } from '../../src/database/database.ts';
import type { RuntimeLogger } from '../../src/temporal/runtime.ts';
import { processingActivities } from './activities.ts';
import { dispatchUnfinishedAgain, runDispatcher } from './dispatcher.ts';
import { openProcessor } from './processors.ts';
import type { ProcessingSettings, TemporalOptions } from './settings.ts';

export interface OpenProcessing {
  /** A submission was accepted. */
  readonly accepted: () => void;
  readonly close: () => Promise<void>;
}

/** Starts the worker and the dispatcher, when there is a Temporal to work with. */
export async function openProcessing(
  db: Database,
  settings: ProcessingSettings,
  temporal: TemporalOptions | undefined,
  now: () => number,
  log: RuntimeLogger,
  onError: (error: unknown) => void,
): Promise<OpenProcessing> {
  const processor = openProcessor(settings);
  if (temporal === undefined) return { accepted: () => undefined, close: async () => undefined };
  // Loaded only here: a service that processes nothing does without the SDK's 30 MB.
  const { connectProcessing } = await import('./temporal.ts');
  const { refundFailed, sweepMs } = settings;
  const activities = processingActivities({ db, processor, refundFailed, now });
  await dispatchUnfinishedAgain(db);
  const processing = connectProcessing(temporal, activities, log, onError);
  const dispatcher = runDispatcher(db, processing.start, { sweepMs, now, onError });
  return {
    accepted: dispatcher.wake,
    async close() {
      await dispatcher.close();
      await processing.close();
    },
  };
}
