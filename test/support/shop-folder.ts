import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Micros, parseTry } from '../../contract/money.ts';
import type { Service } from '../../service/serve.ts';
import { folderFor } from './cli.ts';

export const lira = (text: string): Micros => parseTry(text) ?? assert.fail();

/**
 * A folder with a configuration, a key and an account of its own; all names are those of every other folder. Without
 * `temporal` it has a local server of its own. `watch`: more settings of its watch, as YAML.
 */
export async function openShopFolder(
  t: TestContext,
  service: Service,
  temporal = '',
  { watch = '', firstRun = 'submit' }: { readonly watch?: string; readonly firstRun?: 'submit' | 'baseline' } = {},
): Promise<string> {
  const account = { name: `Shop ${randomUUID()}`, balance: lira('1000'), price: lira('0.25') };
  const { id } = await service.accounts.createAccount(account);
  const { apiKey } = await service.accounts.createKey({ account: id });
  const folder = folderFor(
    t,
    () => `version: 1
accounts:
  main: { base_url: "${service.baseUrl}", api_key: { file: key } }
watches:
  shop: { account: main, project: Shop, sitemaps: [sitemap.xml], hosts: [shop.example], first_run: ${firstRun}${watch === '' ? '' : `, ${watch}`} }
temporal: { address: "${temporal}", namespace: default }
ledger: { url: "sqlite:ledger.db" }
`,
  );
  writeFileSync(join(folder, 'key'), apiKey, { mode: 0o600 });
  return folder;
}
