import { statSync } from 'node:fs';
import { formatTry } from '../../../contract/money.ts';
import { ApiError } from '../../api-client/errors.ts';
import type { Account, Config } from '../../config/config.ts';
import { readApiKey, SecretMissingError } from '../../config/secrets.ts';
import { findOtherAccount, getOtherCurrency } from '../../ledger/money/account-status.ts';
import { recordBalance } from '../../ledger/money/balance.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { readHeaderUsage } from '../../rate-limit/external-usage.ts';
import { toRateLimits } from '../../rate-limit/limits.ts';
import type { HeaderBudget } from '../../submission/answer.ts';
import { formatCounted } from '../../submission/count.ts';
import type { AccountId } from '../../submission/ids.ts';
import { describeOtherCurrency } from '../../submission/other-currency.ts';
import { type Reason, toSentence } from '../../submission/reason.ts';
import { withService } from '../service-client.ts';
import { checkContract } from './check-contract.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** The key, the money, the list of jobs, the limits, the clock and the contract of an account's service: three free requests. */
export async function checkService(
  config: Config,
  ledger: Ledger,
  account: Account,
  signal: AbortSignal,
): Promise<Finding[]> {
  const subject = account.id;
  const findings = await checkContract(account, config, signal);
  try {
    readApiKey(account.apiKey);
  } catch (error) {
    if (!(error instanceof SecretMissingError)) throw error;
    return [fail({ check: 'secrets', subject }, error.message, 'put the key where api_key says'), ...findings];
  }
  const secret = checkKeyFile(account);
  const other = await findOtherAccount(ledger.db, account);
  // Another service rejects the key, and its balance is not the account's: neither is asked for.
  if (other !== null) return [secret, toOtherFinding(subject, other), ...findings];
  const currency = checkCurrency(subject, await getOtherCurrency(ledger, subject));
  return [secret, ...(await checkKey(config, ledger, account, signal)), ...currency, ...findings];
}

async function checkKey(config: Config, ledger: Ledger, account: Account, signal: AbortSignal): Promise<Finding[]> {
  const subject = account.id;
  let budgets: readonly HeaderBudget[] = [];
  try {
    const { balance } = await withService({ config, ledger }, account, signal, ({ request }) =>
      request(async (client) => {
        const answer = await client.balance();
        budgets = answer.budgets;
        return answer;
      }),
    );
    await recordBalance(ledger, account.id, balance);
    const { balanceFloor } = account.spend;
    const money =
      balance <= balanceFloor
        ? fail({ check: 'balance', subject }, `${formatTry(balance)}, so nothing is bought`, 'top up')
        : ok({ check: 'balance', subject }, formatTry(balance));
    const list = await checkList(config, ledger, account, signal);
    return [ok({ check: 'key', subject }, 'the service accepts it'), money, list, checkRateLimits(account, budgets)];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [toKeyFinding(account, error)];
  }
}

/** Whether others on this machine can read the key, too. */
function checkKeyFile({ id: subject, apiKey }: Account): Finding {
  const about = { check: 'secrets', subject } as const;
  if (!('file' in apiKey) || (statSync(apiKey.file).mode & 0o004) === 0) return ok(about, 'the API key can be read');
  return warn(about, `every user of this machine can read ${apiKey.file}`, `chmod o-rwx ${apiKey.file}`);
}

const toOtherFinding = (subject: string, other: Reason): Finding =>
  fail(
    { check: 'account', subject },
    toSentence(other),
    `correct base_url and api_key of account ${subject}, or run "courier accounts move ${subject}"`,
  );

/** Before a process buys anything it reads the list of jobs: one that cannot be read would be noticed only then. */
async function checkList(config: Config, ledger: Ledger, account: Account, signal: AbortSignal): Promise<Finding> {
  const about = { check: 'list', subject: account.id } as const;
  try {
    const { submissions, page } = await withService({ config, ledger }, account, signal, ({ request }) =>
      request((client) => client.listSubmissions()),
    );
    const shown = formatCounted(page.total ?? submissions.length, 'job');
    return ok(about, `can be read: ${shown}${page.total === null ? ' on its first page' : ''}`);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { needsList } = account.reconcile;
    const { status } = error;
    if (status === 404)
      return warn(
        about,
        error.message,
        'nothing: without a list purchases continue, and a restored ledger is not noticed',
      );
    const isShape = status !== null && status < 500 && status !== 408 && status !== 429;
    const next = needsList
      ? `${LEARN}; to buy without the list, set accounts.${account.id}.reconcile.list to optional`
      : 'nothing, as reconcile.list is optional: a process buys without it after ten minutes, and a restored ledger is not noticed';
    if (!isShape)
      return fail(about, error.message, 'nothing is bought before it was read; try again later', { transient: true });
    return needsList ? fail(about, `${error.message}, so nothing is bought`, next) : warn(about, error.message, next);
  }
}

/** The currency of the last acceptance, where that is not the lira. */
export const checkCurrency = (subject: AccountId, currency: string | null): Finding[] =>
  currency === null
    ? []
    : [
        warn(
          { check: 'balance', subject },
          describeOtherCurrency(currency),
          'pause the watches of the account, and ask the service',
        ),
      ];

/** A success that cannot be read does not pass by itself. */
const LEARN = 'run "courier doctor --learn", which proposes the setting that helps';

function toKeyFinding({ id: subject, baseUrl }: Account, error: ApiError): Finding {
  const about = { check: 'key', subject } as const;
  if (error.status === 401)
    return fail(about, error.message, 'replace the key; sending resumes by itself once a new one works', {
      isKeyRejected: true,
    });
  if (error.status === 404) return fail(about, error.message, `correct base_url (${baseUrl})`);
  if (error.status === 200) return fail({ check: 'balance', subject }, error.message, LEARN);
  return fail(about, error.message, 'nothing is lost while the service is away; try again later', { transient: true });
}

function checkRateLimits({ id: subject, limits }: Account, budgets: readonly HeaderBudget[]): Finding {
  const about = { check: 'rate_limits', subject } as const;
  const ours = toRateLimits(limits, limits.minuteMs);
  const usage = readHeaderUsage(budgets, ours);
  if (usage.length === 0) {
    return warn(
      about,
      'no rate-limit header of the service is understood, so only your own requests are counted',
      'lower limits of the account if others use its key',
    );
  }
  const left = usage.map(({ window, remaining }) => `${remaining} left of ${window}`).join(', ');
  const lower = usage.find(({ window, limit }) => limit !== null && limit < ours[window].limit);
  if (lower === undefined) return ok(about, left);
  return warn(
    about,
    `the service allows ${lower.limit} for ${lower.window}, the configuration ${ours[lower.window].limit}; the lower one is kept`,
    `set limits of the account to ${lower.limit}`,
  );
}
