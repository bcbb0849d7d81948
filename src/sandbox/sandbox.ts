/**
 * The sandbox: the whole submission service, with a demo account. Run as a program of its own by the demo. Prints
 * {"type":"listening","base_url":…} once requests are answered. The demo account's key goes into a file that only its
 * owner can read.
 */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { micros } from '../../contract/money.ts';
import { type Service, startService } from '../../service/serve.ts';
import { endWithParent } from '../cli-kit/end-with-parent.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string' },
    port: { type: 'string' },
    temporal: { type: 'string' },
    'key-file': { type: 'string' },
  },
});

const ACCOUNT = 'demo';
/** What a demo account starts with: enough for 200,000 URLs. */
const BALANCE = micros(50_000_000_000);
const PRICE = micros(250_000);

/** A required argument; the demo passes all of them. */
function required(name: keyof typeof values): string {
  const value = values[name];
  if (value === undefined) throw new TypeError(`--${name} is missing`);
  return value;
}

const keyFile = required('key-file');
const start = (port: number): Promise<Service> =>
  startService({
    database: required('database'),
    port,
    temporal: { address: required('temporal'), namespace: 'default', local: true },
    simulated: { fastMs: 3_000, standardMs: 6_000 },
  });
// Another program may have taken the port since it was found free: any other port will do.
const service = await start(Number(required('port'))).catch((error: NodeJS.ErrnoException) => {
  if (error.code === 'EADDRINUSE') return start(0);
  throw error;
});
if (!existsSync(keyFile)) {
  const known = (await service.accounts.accounts()).find(({ name }) => name === ACCOUNT);
  const account = known ?? (await service.accounts.createAccount({ name: ACCOUNT, balance: BALANCE, price: PRICE }));
  const { apiKey } = await service.accounts.createKey({ account: account.id, name: 'demo' });
  // Written atomically: after a kill in between, the next start makes a second key; half a key never remains.
  writeFileSync(`${keyFile}.new`, `${apiKey}\n`, { mode: 0o600 });
  renameSync(`${keyFile}.new`, keyFile);
}
endWithParent(() => service.close());
process.stdout.write(`${JSON.stringify({ type: 'listening', base_url: service.baseUrl })}\n`);
