import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Micros } from '../../../contract/money.ts';
import { CommandError, EXIT, type ExitCode, pickWorst } from '../../cli-kit/exit-codes.ts';
import { type Output, report } from '../../cli-kit/output.ts';
import { stopSignal } from '../../cli-kit/stop-signal.ts';
import type { Config, Watch } from '../../config/config.ts';
import { type PlannedPage, planPage } from '../../connector/learn/plan-page.ts';
import { createStallDetector } from '../../connector/stall-detector.ts';
import { type BatchLine, listBatches } from '../../ledger/reports/lists.ts';
import { getRunSummary } from '../../ledger/reports/run-summary.ts';
import { WATCH_PHASE } from '../../temporal-api/phases.ts';
import { wakeDispatcher } from '../../temporal-api/wake-dispatcher.ts';
import { explainScope } from '../../url/explain-scope.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { Ending } from '../output/command.ts';
import { formatAmount } from '../output/format.ts';
import { openStages } from '../output/progress.ts';
import { toTrialRecord } from '../output/records/doctor.ts';
import { type CommandContext, getAccount, getWatch } from '../with-ledger.ts';
import { workHere } from '../work-here.ts';
import { learnServices } from './doctor-learn.ts';

export interface PageToTry {
  readonly page: Url;
  readonly most: Micros;
  /** The name of its watch; null: the only one that has it in scope. */
  readonly watch: string | null;
}

const CHECK_EVERY_MS = 400;
/** As the default of `courier run --timeout`. */
const TIMEOUT_MS = 900_000;

/** Buys one page as a run would, follows its job to the end, and shows what was read of both. */
export async function tryPage(
  output: Output,
  context: CommandContext,
  { page, most, watch: name }: PageToTry,
  limits: readonly AbortSignal[],
): Promise<Ending> {
  const { config } = context;
  const watch = name === null ? findWatch(config, page) : getWatch(config.watches, name);
  const account = getAccount(config, watch.account);
  const signal = AbortSignal.any([stopSignal('Nothing was planned or charged.'), ...limits]);
  const stages = openStages(output, 1);
  const planned = await planPage(
    context,
    { watch, page, most, by: `${userInfo().username}: courier doctor --spend` },
    signal,
    (urls) => stages.at('crawl', watch.id, urls, null),
  ).finally(() => stages.end());
  const { batch, body } = planned;
  output.say(`POST ${account.baseUrl}/submissions, Idempotency-Key ${batch.key}, ${formatAmount(batch.expectedCost)}`);
  output.say(`  ${body}`);
  let answer: string | null = null;
  const follow = (client: Client, over: AbortSignal) => followPage(output, context, client, planned, watch, over);
  const ended = await workHere(output, context, [watch], follow, limits, {
    onResponse(exchange, endpoint) {
      if (endpoint === 'submit' && exchange.kind === 'answered' && exchange.status < 300) answer = exchange.text;
    },
  });
  output.record(toTrialRecord({ url: page, request: body, ...ended }));
  const { reference, charge, state, jobState, reason } = ended;
  const why = reason === null ? '' : ` (${reason})`;
  const isBought = reference !== null && state === 'accepted';
  const exitCode: ExitCode = isBought ? EXIT.done : EXIT.partial;
  report(output, exitCode, [
    isBought
      ? `Job ${reference} is ${jobState ?? 'not known'}${why}; charged ${formatAmount(charge)}.`
      : `Batch ${ended.batch} is ${state}${why}. "courier batches show ${ended.batch}" shows it.`,
  ]);
  if (reference === null) return { exitCode, summary: { findings: 0, warnings: 0, failures: 0, proposals: 0 } };
  const learned = await learnServices(output, context, { account, reference, answer });
  return { ...learned, exitCode: pickWorst([exitCode, learned.exitCode ?? EXIT.done]) };
}

function findWatch({ watches }: Config, page: Url): Watch {
  const found = [...watches.values()].filter((watch) => explainScope(watch, page).inScope);
  const [watch, ...others] = found;
  if (watch !== undefined && others.length === 0) return watch;
  throw new CommandError(
    EXIT.usage,
    watch === undefined
      ? `No watch has ${page} in its scope. Nothing was bought. "courier why ${page}" says which rule leaves it out.`
      : `${page} is in the scope of ${found.map(({ id }) => id).join(', ')}. Nothing was bought. Name one with --watch.`,
  );
}

/** Waits until its job has ended, or the service has refused it; throws where waiting longer cannot help, as a run does. */
async function followPage(
  output: Output,
  { config, ledger }: CommandContext,
  client: Client,
  { run, batch: { batch, key } }: PlannedPage,
  watch: Watch,
  over: AbortSignal,
): Promise<BatchLine> {
  await wakeDispatcher(client, ledger.id, watch.account);
  const account = getAccount(config, watch.account);
  const detectStall = createStallDetector(client, ledger, { watch, account }, run, TIMEOUT_MS);
  let said = '';
  const say = (text: string) => {
    if (text !== said) output.say(text);
    said = text;
  };
  for (;;) {
    const [now] = await listBatches(ledger, { batch, limit: 1 });
    if (now === undefined) throw new RangeError(`the ledger lost batch ${batch}`);
    const { state, endedAt, reference, inDoubtSince, attempts } = now;
    if (state === 'accepted') {
      if (endedAt !== null) return now;
      say(`Accepted as ${reference}; the job is polled until it ends. --max-time ends the wait, not the job.`);
    } else if (state !== 'planned' && state !== 'sending') return now;
    else if (inDoubtSince !== null && attempts > 1)
      say(`The response was lost, so it may be charged: the same request is repeated under the same key, ${key}.`);
    await detectStall({ phase: WATCH_PHASE.submitting, read: 0, summary: await getRunSummary(ledger, run) });
    await sleep(CHECK_EVERY_MS, undefined, { signal: over });
  }
}
