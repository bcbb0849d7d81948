import type { Client } from '@temporalio/client';
import { type Config, requireAccount, type Watch } from '../config/config.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { releaseCovered } from '../ledger/plans/release-covered.ts';
import { getRun } from '../ledger/runs/runs.ts';
import type { RunId } from '../submission/ids.ts';
import { wakeSignal } from '../temporal-api/messages.ts';
import { refreshAccountSoon } from './refresh-account.ts';

/**
 * Whether a held run goes on: it is decided on already, or only money held it and the current prices and balance allow
 * it. The workflow asks the same by itself, but not before a command would have ended. It is woken, so that it goes on at once.
 */
export async function releaseHeld(
  { client, config, ledger }: { readonly client: Client; readonly config: Config; readonly ledger: Ledger },
  watch: Watch,
  run: RunId,
): Promise<boolean> {
  if ((await getRun(ledger.db, run)).decision === null) {
    const input = { watch, account: requireAccount(config, watch.account) };
    const refresh = () => refreshAccountSoon({ config, ledger }, watch.account);
    if (!(await releaseCovered(ledger, run, input, refresh))) return false;
  }
  await client.workflow.getHandle(run).signal(wakeSignal);
  return true;
}
