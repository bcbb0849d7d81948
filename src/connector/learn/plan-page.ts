import { formatTry, type Micros } from '../../../contract/money.ts';
import { type Config, requireAccount, type Watch } from '../../config/config.ts';
import { SecretMissingError } from '../../config/secrets.ts';
import { findBody } from '../../ledger/batches/batch-queries.ts';
import { getPrice } from '../../ledger/money/price.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { applyPlans } from '../../ledger/plans/apply-plans.ts';
import { previewRuns } from '../../ledger/plans/preview-runs.ts';
import { type BatchLine, listBatches } from '../../ledger/reports/lists.ts';
import type { RunId } from '../../submission/ids.ts';
import { formatInstant } from '../../submission/instant.ts';
import type { Url } from '../../url/normalize-url.ts';
import { getAccountResources } from '../account-resources.ts';
import { explainUrl } from '../explain-url.ts';
import { OperationError } from '../operation-error.ts';
import { previewWatch } from '../preview.ts';
import { findSpendingHold } from '../spending-hold.ts';

export interface PageToBuy {
  readonly watch: Watch;
  readonly page: Url;
  /** What it may cost at most. */
  readonly most: Micros;
  /** Who decides, where a guard would hold the watch. */
  readonly by: string;
}

/** A batch of one page, planned as every other and not sent yet. */
export interface PlannedPage {
  readonly run: RunId;
  readonly batch: BatchLine;
  /** The body that is sent. */
  readonly body: string;
}

const NOTHING = 'Nothing was bought.';

/**
 * Plans one page of a watch as a run plans all: in the journal, under the caps and the floor, with a key of its own, so that it is
 * bought once however often this is repeated. Throws an OperationError where it may not be bought now, before anything is planned.
 */
export async function planPage(
  context: { readonly config: Config; readonly ledger: Ledger },
  { watch, page, most, by }: PageToBuy,
  signal: AbortSignal,
  onProgress: (urls: number) => void,
): Promise<PlannedPage> {
  const { config, ledger } = context;
  const account = requireAccount(config, watch.account);
  await requireNothingWaits(ledger, watch);
  const { failure } = await getAccountResources(config, ledger, account.id, signal);
  if (failure instanceof SecretMissingError) throw failure;
  if (failure !== null)
    throw new OperationError(failure.status === 401 ? 'key_rejected' : 'no_response', `${failure.message}. ${NOTHING}`);
  const { run, input, guards } = await previewWatch(context, watch, signal, onProgress);
  const { perUrl } = await getPrice(ledger.db, account.id, watch.service, account.pricePerUrl[watch.service]);
  if (perUrl === null)
    throw new OperationError(
      'funds',
      `The price of a URL is not known. ${NOTHING} Set accounts.${account.id}.price_per_url to what the service says it costs.`,
    );
  if (perUrl > most)
    throw new OperationError('funds', `A URL costs ${formatTry(perUrl)}, more than ${formatTry(most)}. ${NOTHING}`);
  const hold = await findSpendingHold(config, ledger, account.id, signal);
  if (hold !== null) throw new OperationError('held', `${hold}. ${NOTHING}`);
  const planned = { run, input: { ...input, maxCost: most, only: page } };
  const [plan] = await previewRuns(ledger, [planned]);
  if (plan?.urls !== 1) throw await explainRefusal(context, watch, page, plan?.heldReason ?? null);
  await applyPlans(ledger, [{ ...planned, digest: plan.digest }], { approvedBy: guards.length === 0 ? null : by });
  const [batch] = await listBatches(ledger, { run, limit: 1 });
  if (batch === undefined) throw new RangeError(`the plan of ${run} has no batch`);
  return { run, batch, body: (await findBody(ledger.db, batch.batch)) ?? '' };
}

/** Whatever waits for the account would be sent as well. */
async function requireNothingWaits(ledger: Ledger, { account }: Watch): Promise<void> {
  const waiting = [
    ...(await listBatches(ledger, { account, state: 'sending', limit: 1 })),
    ...(await listBatches(ledger, { account, state: 'planned', limit: 1 })),
  ];
  const [first] = waiting;
  if (first === undefined) return;
  const { batch, inDoubtSince, key } = first;
  const state =
    inDoubtSince === null
      ? 'waits to be sent'
      : `was sent at ${formatInstant(inDoubtSince)} and its response was lost: it may have been charged`;
  throw new OperationError(
    'run_active',
    `Batch ${batch} of account ${account} ${state}. ${NOTHING} "courier run --once --wait" sends it under its key ${key}, ` +
      'which is charged once; then run this again.',
  );
}

async function explainRefusal(
  context: { readonly config: Config; readonly ledger: Ledger },
  { id }: Watch,
  page: Url,
  heldReason: string | null,
): Promise<OperationError> {
  if (heldReason !== null)
    return new OperationError('funds', `${page} may not be bought now: ${heldReason}. ${NOTHING}`);
  const own = (await explainUrl(context, page)).find(({ watch }) => watch === id);
  const why = own?.history == null ? `no sitemap of ${id} lists it` : own.why;
  return new OperationError(
    'failed',
    `${page} is not due: ${why}. ${NOTHING} "courier plan ${id} --urls" lists what is.`,
  );
}
