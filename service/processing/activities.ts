import { ApplicationFailure, Context } from '@temporalio/activity';
import type { ServiceLevel, SubmissionState } from '../../contract/states.ts';
import { type Database, DatabaseUnavailableError } from '../../src/database/database.ts';
import { type Plan, type Processor, TryLaterError } from './processor.ts';
import { begin, finish, getTimes, listItems, recordOutcomes } from './transitions.ts';

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

/** What happened to submissions, each once. */
export interface ProcessingEvents {
  started(submission: { readonly service: ServiceLevel; readonly seconds: number }): void;
  ended(submission: {
    readonly service: ServiceLevel;
    readonly status: SubmissionState;
    readonly seconds: number;
  }): void;
}

interface Deps {
  readonly db: Database;
  readonly processor: Processor;
  readonly refundFailed: boolean;
  readonly now: () => number;
  readonly events: ProcessingEvents;
}

export function processingActivities({ db, processor, refundFailed, now, events }: Deps): ProcessingActivities {
  return alive({
    async planProcessing(reference, service) {
      const items = await listItems(db, reference);
      if (items.length === 0)
        throw ApplicationFailure.nonRetryable(`no submission has the reference ${reference}`, 'NoSubmission');
      return { ...processor.plan(service), steps: processor.split(items).length };
    },
    async beginProcessing(reference) {
      const at = now();
      const goesOn = await begin(db, reference, at);
      const { service, created_at, started_at } = await getTimes(db, reference);
      // A repeated call finds the time of the first one.
      if (started_at === at) events.started({ service, seconds: (at - created_at) / 1_000 });
      return goesOn;
    },
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
    async finishProcessing(reference) {
      const at = now();
      const status = await finish(db, reference, { refundFailed, now: at });
      const { service, created_at, finished_at } = await getTimes(db, reference);
      if (finished_at === at) events.ended({ service, status, seconds: (at - created_at) / 1_000 });
      return status;
    },
  });
}

const HEARTBEAT_MS = 3_000;

/** An outage must not make the waits grow that are for failures of the work: it goes on soon after its end. */
const OUTAGE_MS = 10_000;

const toOutage = ({ message }: Error): ApplicationFailure =>
  ApplicationFailure.create({ message, type: 'StorageUnavailable', nextRetryDelay: OUTAGE_MS });

/** Sends heartbeats, so that the work of a killed process continues within seconds. */
function alive(activities: ProcessingActivities): ProcessingActivities {
  const kept =
    <Args extends unknown[], Result>(activity: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const context = Context.current();
      const timer = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
      try {
        return await activity(...args);
      } catch (error) {
        throw error instanceof DatabaseUnavailableError ? toOutage(error) : error;
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
