import { ApplicationFailure, condition, setHandler } from '@temporalio/workflow';
import { FAILURE_TYPE } from '../src/temporal-api/failure-types.ts';
import {
  approveUpdate,
  type Decision,
  describeDecision,
  rejectUpdate,
  wakeSignal,
} from '../src/temporal-api/messages.ts';
import type { GuardHold, RunDecided } from '../src/temporal-api/payloads.ts';
import { describeHold } from '../src/temporal-api/result-sentences.ts';
import { toSummary } from '../src/temporal-api/summary.ts';

/** A hold is repeated in the event history this often, so that it stands at the end of the page. */
const REMIND_MS = 12 * 3_600_000;
/** How often a run that only money holds asks whether it may go on. */
const ASK_AGAIN_MS = 1_800_000;

const FORM = 'No data is needed. Data, optional: { "by": "your name", "note": "why" }, or your name as a text.';

export interface HeldDecision {
  /** From now on a decision is accepted. */
  hold(): void;
  /** Takes the decision that the ledger has: the first one stands. */
  accept(recorded: RunDecided | null): void;
  /**
   * Waits for your decision, on a timer whose summary says what is asked. At each reminder, and when it is woken, the ledger
   * is asked again: it may have the decision, let a run that waited for money go on, or not know the run any more, which
   * then fails.
   */
  wait(hold: GuardHold): Promise<'approved' | 'rejected'>;
  by(): string;
}

/**
 * Accepts a decision, but only while a guard holds the run. `ask`: asks the ledger for the decision, and throws when it
 * does not know the run.
 */
export function acceptDecision(ask: () => Promise<RunDecided | null>): HeldDecision {
  let held = false;
  let taken: { decision: 'approved' | 'rejected'; by: string } | null = null;

  const validator = (_decision?: Decision) => {
    if (taken !== null)
      throw ApplicationFailure.nonRetryable(
        `This run was already ${taken.decision}; nothing was changed.`,
        FAILURE_TYPE.alreadyDecided,
      );
    if (!held)
      throw ApplicationFailure.nonRetryable(
        'No guard holds this run, so there is nothing to decide.',
        FAILURE_TYPE.nothingHeld,
      );
  };
  const take = (decision: 'approved' | 'rejected', meaning: string) => (given?: Decision) => {
    taken = { decision, by: describeDecision(given) };
    return `${decision} by ${taken.by}. ${meaning}`;
  };
  setHandler(approveUpdate, take('approved', 'What the run found is planned and submitted, within the caps.'), {
    validator,
    description: `Buy what this held run found. ${FORM}`,
  });
  setHandler(rejectUpdate, take('rejected', 'Nothing of this run is submitted; its URLs stay due.'), {
    validator,
    description: `Buy nothing of this held run. ${FORM}`,
  });

  const accept = (recorded: RunDecided | null) => {
    taken = recorded ?? taken;
  };

  async function remind(hold: GuardHold): Promise<void> {
    const question = describeHold(hold);
    const everyMs = hold.waitsForMoney ? ASK_AGAIN_MS : REMIND_MS;
    let isWoken = false;
    setHandler(
      wakeSignal,
      () => {
        isWoken = true;
      },
      { description: 'Read the decision from the ledger now. No data is needed.' },
    );
    for (let reminder = 0; ; reminder++) {
      const label = reminder === 0 ? 'HELD' : `HELD, reminder ${reminder}`;
      const summary = toSummary(`${label}: ${question}`, `; held since ${hold.question.since}`);
      await condition(() => taken !== null || isWoken, everyMs, { summary });
      if (taken !== null) return;
      isWoken = false;
      accept(await ask());
      if (taken !== null) return;
    }
  }

  return {
    hold() {
      held = true;
    },
    accept,
    async wait(hold) {
      if (taken === null) await remind(hold);
      held = false;
      return taken?.decision ?? 'rejected';
    },
    by: () => taken?.by ?? '',
  };
}
