import { ApplicationFailure, Context } from '@temporalio/activity';
import type { ServiceLevel, SubmissionState } from '../../contract/states.ts';
import type { Database } from '../../src/database/database.ts';
import { type Plan, type Processor, TryLaterError } from './processor.ts';
import { begin, finish, listItems, recordOutcomes } from './transitions.ts';

export interface Work extends Plan {
  readonly steps: number;
}

/** What processSubmission asks of the outside world. URLs never pass through Temporal: only the reference does. */
export interface ProcessingActivities {
  planProcessing(reference: string, service: ServiceLevel): Promise<Work>;
  beginProcessing(reference: string): Promise<boolean>;
  processStep(reference: string, step: number): Promise<void>;
  finishProcessing(reference: string): Promise<SubmissionState>;
}

interface Deps {
  readonly db: Database;
  readonly processor: Processor;
  readonly refundFailed: boolean;
  readonly now: () => number;
}

export function processingActivities({ db, processor, refundFailed, now }: Deps): ProcessingActivities {
  return alive({
    async planProcessing(reference, service) {
      const items = await listItems(db, reference);
      if (items.length === 0)
        throw ApplicationFailure.nonRetryable(`no submission has the reference ${reference}`, 'NoSubmission');
      return { ...processor.plan(service), steps: processor.split(items).length };
    },
    beginProcessing: (reference) => begin(db, reference, now()),
    async processStep(reference, step) {
      // A submission that ended at its deadline has no undecided item left, so the step ends here too.
      const items = await listItems(db, reference);
      const left = (processor.split(items)[step] ?? []).filter(({ position }) => items[position]?.decided === false);
      if (left.length === 0) return;
      const { cancellationSignal } = Context.current();
      try {
        await processor.run(left, (outcomes) => recordOutcomes(db, reference, outcomes, now()), cancellationSignal);
      } catch (error) {
        if (!(error instanceof TryLaterError)) throw error;
        throw ApplicationFailure.create({
          message: error.message,
          type: 'TryLater',
          ...(error.afterMs === undefined ? {} : { nextRetryDelay: error.afterMs }),
        });
      }
    },
    finishProcessing: (reference) => finish(db, reference, { refundFailed, now: now() }),
  });
}

const HEARTBEAT_MS = 3_000;

/** Tells the server that this process lives, so that what a killed one held goes on within seconds. */
function alive(activities: ProcessingActivities): ProcessingActivities {
  const kept =
    <Args extends unknown[], Result>(activity: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const context = Context.current();
      const timer = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
      try {
        return await activity(...args);
      } finally {
        clearInterval(timer);
      }
    };
  return {
    planProcessing: kept(activities.planProcessing),
    beginProcessing: kept(activities.beginProcessing),
    processStep: kept(activities.processStep),
    finishProcessing: kept(activities.finishProcessing),
  };
}
