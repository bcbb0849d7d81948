import { hash } from 'node:crypto';
import { ApiError, unwrapData } from '../api-client/errors.ts';
import type { SendRequest } from '../api-client/history.ts';
import type { AccountView } from '../api-client/read/account.ts';
import type { Account } from '../config/config.ts';
import { readApiKey, SecretMissingError } from '../config/secrets.ts';
import { findOtherService, recordService } from '../ledger/money/account.ts';
import { confirmAccount } from '../ledger/money/confirm-account.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { Logger } from '../observability/log.ts';
import type { LimitedClient } from '../rate-limit/limited-client.ts';
import { RateLimitedError } from '../rate-limit/limiter.ts';
import type { AccountId } from '../submission/ids.ts';
import { toSentence } from '../submission/reason.ts';
import { OperationError } from './operation-error.ts';

/** A recently confirmed account is not confirmed again. A price rise is noticed within this time. */
const FRESH_MS = 3_600_000;
/** After a request that showed no account. */
const RETRY_MS = 300_000;

const toOperationError = (message: string): Error => new OperationError('other_account', message);

/**
 * Throws an OperationError (other_account) when the key belongs to another account than the ledger's. Records the
 * identity at first contact, and the prices that are shown.
 */
export async function requireSameAccount(
  ledger: Ledger,
  id: AccountId,
  shown: AccountView,
  toError: (message: string) => Error = toOperationError,
): Promise<void> {
  const confirmed = await confirmAccount(ledger, id, shown);
  if (confirmed.kind === 'same') return;
  const { recorded, shown: other } = confirmed;
  throw toError(toSentence({ code: 'other_account', account: id, recorded, shown: other }));
}

/** Throws when the configuration names a service other than the one that the account's jobs and charges belong to. */
async function requireSameAddress(
  ledger: Ledger,
  account: Account,
  toError: (message: string) => Error,
): Promise<void> {
  const recorded = await findOtherService(ledger.db, account);
  if (recorded === null) return;
  throw toError(toSentence({ code: 'other_service', account: account.id, recorded, configured: account.baseUrl }));
}

/** Confirms the account for a command, with one request. The command's next step reports an unreachable service or a missing key. */
export async function confirmShown(ledger: Ledger, account: Account, send: SendRequest): Promise<void> {
  await requireSameAddress(ledger, account, toOperationError);
  let shown: AccountView;
  try {
    shown = await send((client) => client.me());
  } catch (error) {
    if (error instanceof ApiError || error instanceof SecretMissingError) return;
    throw error;
  }
  await requireSameAccount(ledger, account.id, shown);
}

export interface ConfirmSettings {
  readonly account: Account;
  readonly ledger: Ledger;
  readonly log: Logger;
  /** The error to throw for another account. */
  readonly toError: (message: string) => Error;
}

export interface ConfirmedClient extends LimitedClient {
  /** Throws when the key belongs to another account. An account that cannot be read now blocks nothing. */
  confirm(options?: { readonly afresh: boolean }): Promise<void>;
}

/**
 * An account's client that confirms the account before use: once an hour, and at once for a new key. Does not wait for a
 * service that does not respond here: it would not respond to the next request either.
 */
export function confirmFirst(api: LimitedClient, { account, ledger, log, toError }: ConfirmSettings): ConfirmedClient {
  let known: { readonly key: string; readonly until: number; readonly verdict: Promise<void> } | null = null;

  async function confirm({ afresh }: { readonly afresh: boolean } = { afresh: false }): Promise<void> {
    await requireSameAddress(ledger, account, toError);
    const key = digestKey(account);
    if (key === null) return;
    if (afresh || known === null || known.key !== key || ledger.now() >= known.until) {
      known = { key, until: ledger.now() + RETRY_MS, verdict: send(key) };
    }
    await known.verdict;
  }

  async function send(key: string): Promise<void> {
    try {
      const shown = unwrapData(await api.request('poll', (client) => client.me()));
      await requireSameAccount(ledger, account.id, shown, toError);
      await recordService(ledger.db, account);
      known = { key, until: ledger.now() + FRESH_MS, verdict: Promise.resolve() };
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof RateLimitedError)) throw error;
      log.debug({ account: account.id, err: error }, 'cannot read the account from the service');
    }
  }

  return {
    confirm,
    async request(lane, request) {
      await confirm();
      return api.request(lane, request);
    },
    async reserved(lane, work) {
      await confirm();
      return api.reserved(lane, work);
    },
    close: () => api.close(),
  };
}

/** Identifies the key without storing it. Null while there is none: the request itself reports that. */
function digestKey({ apiKey }: Account): string | null {
  try {
    return hash('sha256', readApiKey(apiKey));
  } catch (error) {
    if (error instanceof SecretMissingError) return null;
    throw error;
  }
}
