import { administer } from '../../../../service/accounts/administration.ts';
import { SERVICE_NAMES } from '../account-names.ts';
import { SERVICE } from '../addresses.ts';
import type { World } from '../world.ts';

/**
 * Another program with a key of the account buys these pages: a connector with a ledger of its own, whose projects end with
 * tags that ours do not have. The network never fails it.
 */
export async function submitElsewhere(world: World, urls: readonly string[], random: () => number): Promise<void> {
  const { kernel, oracle, stores } = world;
  const accounts = administer(stores.service);
  const name = SERVICE_NAMES.main;
  const { id } = await accounts.account(name);
  const { apiKey } = await accounts.createKey({ account: id, name: 'another program' });
  const digits = Array.from({ length: 14 }, () => Math.floor(random() * 16).toString(16)).join('');
  const key = `elsewhere-${digits}`;
  oracle.expectElsewhere(key);
  const body = Buffer.from(JSON.stringify({ urls, service: 'fast', project: `Another shop [sc${digits}]` }));
  const { status } = await world.network.ask({
    origin: SERVICE,
    method: 'POST',
    path: '/api/v1/submissions',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': key },
    body,
  });
  if (status !== 202) throw new Error(`the job of another program was answered with ${status}`);
  kernel.trace(`another program buys ${urls.length} pages`);
}
