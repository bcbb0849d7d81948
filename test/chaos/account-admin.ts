import { renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { type Micros, micros } from '../../contract/money.ts';
import type { Administration } from '../../service/accounts/administration.ts';
import { openAdministration } from '../../service/serve.ts';
import { sql } from '../../src/database/sql.ts';
import type { AccountId, LedgerId } from '../../src/submission/ids.ts';
import { dispatcherWorkflowId } from '../../src/temporal-api/ids.ts';
import { approveUpdate, wakeSignal } from '../../src/temporal-api/messages.ts';
import type { Harness } from './harness.ts';

export const PRICE = micros(250_000);
export const AMPLE_BALANCE = micros(100_000_000_000);
const ACCOUNT = 'faults';

/** What people do about an account at the service, with its own administration; the key goes into the connector's file. */
export interface AccountAdmin {
  /** The service refuses the key from now on. */
  revokeKey(): Promise<void>;
  /** A new key at the service, and in the connector's file. */
  issueKey(): Promise<void>;
  topUp(): Promise<void>;
  setPrice(price: Micros): Promise<void>;
}

export async function openAccountAdmin(serviceDb: string, keyFile: string, balance: Micros): Promise<AccountAdmin> {
  const administration = <T>(work: (accounts: Administration) => Promise<T>) => withAdministration(serviceDb, work);
  const { id: account } = await administration((it) => it.createAccount({ name: ACCOUNT, balance, price: PRICE }));
  let key = '';
  const admin: AccountAdmin = {
    async revokeKey() {
      await administration((it) => it.revokeKey(key));
    },
    async issueKey() {
      const { id, apiKey } = await administration((it) => it.createKey({ account, name: ACCOUNT }));
      key = id;
      writeFileSync(`${keyFile}.new`, apiKey, { mode: 0o600 });
      renameSync(`${keyFile}.new`, keyFile);
    },
    async setPrice(price) {
      await withAdministration(serviceDb, async (it) => {
        for (const level of ['standard', 'fast'] as const) await it.setPrice(ACCOUNT, level, price);
      });
    },
    async topUp() {
      await administration((it) => it.topUp(ACCOUNT, AMPLE_BALANCE));
    },
  };
  await admin.issueKey();
  return admin;
}

/** Makes an account that can pay for everything, and returns its key. */
export async function openAccount(serviceDb: string): Promise<string> {
  return withAdministration(serviceDb, async (accounts) => {
    const { id } = await accounts.createAccount({ name: ACCOUNT, balance: AMPLE_BALANCE, price: PRICE });
    return (await accounts.createKey({ account: id, name: ACCOUNT })).apiKey;
  });
}

async function withAdministration<T>(serviceDb: string, work: (accounts: Administration) => Promise<T>): Promise<T> {
  const { accounts, close } = await openAdministration(serviceDb);
  try {
    return await work(accounts);
  } finally {
    await close();
  }
}

/** Sends the signal that the Web UI offers: the key works again, or the balance was topped up. */
export async function wakeDispatcher(client: Client, ledger: LedgerId): Promise<void> {
  // A dispatcher that does not run reads the ledger when it starts.
  await client.workflow
    .getHandle(dispatcherWorkflowId(ledger, 'main' as AccountId))
    .signal(wakeSignal)
    .catch(() => undefined);
}

/** Approves every run that a guard holds, until stopped; as `courier approve` does. */
export function approveHeldRuns(harness: Pick<Harness, 'client' | 'ledger'>): { stop(): Promise<number> } {
  let stopping = false;
  const approved = new Set<string>();
  async function approveAll(): Promise<void> {
    const held = await harness.ledger.all(sql<{ name: string }>`
      SELECT name FROM runs WHERE held IS NOT NULL AND decision IS NULL AND ended_at IS NULL`);
    for (const { name } of held) {
      // The update waits for a worker; one that dies meanwhile is asked again.
      const update = harness.client.workflow
        .getHandle(name)
        .executeUpdate(approveUpdate, { args: [{ by: 'chaos scenario' }] });
      await Promise.race([update.then(() => approved.add(name)).catch(() => undefined), sleep(2_000)]);
    }
  }
  const working = (async () => {
    while (!stopping) {
      // The ledger's file may be replaced at this moment.
      await approveAll().catch(() => undefined);
      await sleep(300);
    }
  })();
  return {
    async stop() {
      stopping = true;
      await working;
      return approved.size;
    },
  };
}
