import type { ServiceLevel } from '../contract/states.ts';
import type { AnswerRecorded } from '../src/ledger/batches/record-answer.ts';
import type { BatchAnswered } from '../src/observability/worker-events.ts';
import type { AccountId, BatchId, WatchId } from '../src/submission/ids.ts';
import type { Deps } from './deps.ts';

interface Answered {
  readonly account: AccountId;
  readonly watch: WatchId;
  readonly batch: BatchId;
  readonly service: ServiceLevel;
  readonly urls: number;
  readonly requestId: string | null;
}

/** Reports what the response to a batch meant. */
export function reportBatch({ emit }: Pick<Deps, 'emit'>, answered: Answered, recorded: AnswerRecorded): void {
  const meaning = describeAnswer(recorded);
  if (meaning === null) return;
  emit({ kind: 'batch', accepted: 'no', charged: null, reference: null, reason: null, ...answered, ...meaning });
}

type Meaning = Pick<BatchAnswered, 'outcome'> &
  Partial<Pick<BatchAnswered, 'accepted' | 'charged' | 'reference' | 'reason'>>;

/** Null for a retry, because an outage repeats it for every batch, and for what is reported of the account. */
function describeAnswer(recorded: AnswerRecorded): Meaning | null {
  switch (recorded.kind) {
    case 'accepted': {
      const { reference, charged, again } = recorded;
      const outcome = `${again ? 'was already' : 'is'} accepted as ${reference}`;
      return { accepted: again ? 'before' : 'now', reference, charged, outcome };
    }
    case 'refused': {
      const { quarantined, children } = recorded;
      return { outcome: `is rejected: ${quarantined} URLs are quarantined, ${children.length} smaller batches follow` };
    }
    case 'in_doubt':
      return { outcome: 'is in doubt and is looked up in the list of jobs', reason: recorded.reason };
    case 'contradicted':
      return { outcome: 'was accepted before, and this response contradicts it', reason: recorded.reason };
    case 'needs_review':
      return { outcome: `needs your review ("courier batches resolve ${recorded.batch}")`, reason: recorded.reason };
    case 'retry':
    case 'suspended':
    case 'key_rejected':
    case 'closed':
      return null;
  }
}
