import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createLogger } from '../../../src/observability/log.ts';
import { installRuntime } from '../../../src/temporal/runtime.ts';
import { NAMESPACE, temporalAddress } from '../../support/temporal.ts';
import { activities } from './activities.ts';
import { CASES, playCases } from './cases.ts';

const run = promisify(execFile);
const PLAY = fileURLToPath(new URL('./play-stand-in.ts', import.meta.url));

async function playOnStandIn(): Promise<Record<string, unknown>> {
  const { stdout } = await run(process.execPath, ['--disable-warning=ExperimentalWarning', PLAY]);
  const { played, breaches } = JSON.parse(stdout) as { played: Record<string, unknown>; breaches: string[] };
  assert.deepEqual(breaches, []);
  return played;
}

describe('the stand-in for Temporal', () => {
  test('behaves as the real server does, in all that it claims', { timeout: 120_000 }, async (t) => {
    const address = await temporalAddress(t);
    const connection = await Connection.connect({ address });
    installRuntime(createLogger('error', 'test'));
    const native = await NativeConnection.connect({ address });
    const taskQueue = `conformance-${randomUUID()}`;
    const worker = await Worker.create({
      ...{ connection: native, namespace: NAMESPACE, taskQueue, activities },
      workflowsPath: fileURLToPath(new URL('./workflows.ts', import.meta.url)),
    });
    const client = new Client({ connection, namespace: NAMESPACE });
    const [real, standIn] = await worker.runUntil(
      Promise.all([playCases({ client, taskQueue, suffix: taskQueue }), playOnStandIn()]),
    );
    await native.close();
    await connection.close();
    for (const name of Object.keys(CASES))
      assert.deepEqual(standIn[name], JSON.parse(JSON.stringify(real[name])), name);
  });
});
