import { startService } from '../../../service/serve.ts';
import type { ServiceSettings } from '../../../service/settings.ts';
import { injectSqliteFaults, type SqliteFault } from '../sqlite-faults.ts';

// A service whose statements on SQLite meet faults that its parent orders. Its clock is ahead by so many milliseconds.
const [database = '', settings = '{}', aheadMs = '0'] = process.argv.slice(2);

export type Order =
  | { readonly arm: { readonly step: number; readonly fault: SqliteFault } }
  | { readonly disarm: true };

const faults = injectSqliteFaults();
const service = await startService({
  database,
  settings: JSON.parse(settings) as Partial<ServiceSettings>,
  now: () => Date.now() + Number(aheadMs),
});
process.on('message', (order: Order) => {
  if ('arm' in order) faults.arm(order.arm.step, order.arm.fault);
  process.send?.({ statements: 'arm' in order ? 0 : faults.disarm() });
});
process.send?.({ baseUrl: service.baseUrl });
