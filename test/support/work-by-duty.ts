import type { TestContext } from 'node:test';
import type { Config } from '../../src/config/config.ts';
import { openConnector } from '../../src/connector/connector.ts';
import { createLogger } from '../../src/observability/log.ts';
import type { Duty } from '../../src/temporal-api/duties.ts';
import { NAMESPACE } from './temporal.ts';

/** A worker with these duties in this process, until the end of the test. */
export async function work(t: TestContext, config: Config, address: string, duties: readonly Duty[]): Promise<void> {
  const settings = { address, namespace: NAMESPACE };
  const connector = await openConnector(config, settings, createLogger('silent', 'test'), { duties });
  const working = connector.run();
  t.after(async () => {
    connector.stop();
    await working;
  });
}
