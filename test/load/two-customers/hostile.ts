import { setPriority } from 'node:os';
import { HOSTILE_ACTS, type HostileAct } from './acts.ts';
import { CONNECTION_ACTS } from './connection-acts.ts';
import { makeDashboardActs } from './dashboard-acts.ts';
import { REQUEST_ACTS } from './request-acts.ts';
import { closeConnections, makeTools, type Tools } from './tools.ts';

// A hostile customer in a process of its own, which gives way to the measured ones. Does what its parent names until the
// next order.
const [baseUrl = '', name = '', password = '', ...keys] = process.argv.slice(2);
setPriority(19);

const ACTS: Record<HostileAct, (tools: Tools) => Promise<void>> = {
  ...REQUEST_ACTS,
  ...CONNECTION_ACTS,
  ...makeDashboardActs(new URL('/', baseUrl).href, { name, password }),
};
let order = 0;

process.on('message', (acts: HostileAct[]) => {
  const mine = ++order;
  closeConnections();
  const tools = makeTools(baseUrl, keys, () => mine === order);
  for (const act of HOSTILE_ACTS) if (acts.includes(act)) void ACTS[act](tools).catch(() => undefined);
  process.send?.('ordered');
});
process.on('disconnect', () => process.exit());
