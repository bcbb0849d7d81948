import { type Command, InvalidArgumentError } from 'commander';
import { explainAmount } from '../../../contract/amount-text.ts';
import { type Micros, parseTry } from '../../../contract/money.ts';
import { CommandError, EXIT } from '../../cli-kit/exit-codes.ts';
import { parseDuration } from '../../config/duration.ts';
import { action } from '../output/command.ts';
import { createTimeLimit, MAX_TIME_OPTION } from '../time-limit.ts';
import { selectWatches, withLedger } from '../with-ledger.ts';
import type { RunsToFollow } from './follow-runs.ts';
import { runOnce } from './run-once.ts';

interface RunFlags {
  readonly once?: boolean;
  readonly wait?: boolean;
  readonly maxCost?: Micros;
  readonly timeout: string;
  readonly maxTime?: string;
}

export function runCommand(command: Command): void {
  command
    .argument('[watch...]', 'watches to run (default: all)')
    .option('--once', 'work in this process and end with it; without it, a "courier worker" does the work')
    .option('--wait', 'follow until every job of these watches has ended at the service, earlier ones included')
    .option('--max-cost <amount>', 'most that each run may cost, as 50TRY; the rest is held', parseMaxCost)
    .option('--timeout <duration>', 'exit with 5 after this long without a response of the service', '15m')
    .option(...MAX_TIME_OPTION)
    .action(
      action((output, flags, names: string[], { once = false, wait = false, maxCost, timeout, maxTime }: RunFlags) =>
        withLedger(flags, async (context) => {
          const runs: RunsToFollow = {
            watches: selectWatches(context.config, names),
            until: wait ? 'terminal' : 'accepted',
            maxCost: maxCost ?? null,
            timeoutMs: parseTimeout(timeout),
            here: once,
          };
          const limits = createTimeLimit(maxTime);
          if (once) return runOnce(output, context, runs, limits);
          // Loaded here: a run in this process that finds nothing new needs none of Temporal's SDK.
          const { runAtWorker } = await import('./run-at-temporal.ts');
          const { exitCode, charged } = await runAtWorker(output, context, runs, limits);
          return { exitCode, summary: { watches: runs.watches.length, charged_micros: charged } };
        }),
      ),
    );
}

export function parseMaxCost(text: string): Micros {
  const isCap = (amount: Micros) => amount >= 0;
  const amount = parseTry(text);
  if (amount !== null && isCap(amount)) return amount;
  throw new InvalidArgumentError(explainAmount(text, isCap, '50TRY'));
}

function parseTimeout(text: string): number {
  const duration = parseDuration(text);
  if (duration !== null) return duration;
  throw new CommandError(
    EXIT.usage,
    `--timeout "${text}" is not a duration. Nothing was run or charged. Write it as 15m or 2h.`,
  );
}
