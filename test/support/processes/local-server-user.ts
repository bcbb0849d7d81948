/** Uses the local Temporal server of a folder until SIGTERM: prints its address, and LOST when it is gone permanently. */
import { openLocalServer } from '../../../src/temporal/local-server.ts';
import { findTemporalBinary } from '../../../src/temporal/server-binary.ts';

const [, , folder = ''] = process.argv;
const server = await openLocalServer(folder, () => findTemporalBinary(() => undefined));
console.log(server.address);
server.lost.addEventListener('abort', () => console.log(`LOST ${String(server.lost.reason.message)}`));
const alive = setInterval(() => undefined, 60_000);
process.on('SIGTERM', async () => {
  clearInterval(alive);
  await server.stop();
});
