/** What a Temporal server stores of a ledger whose payloads are encrypted, and who can still read it. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { startService } from '../../service/serve.ts';
import { loadConfig } from '../../src/config/load.ts';
import { type Connector, openConnector } from '../../src/connector/connector.ts';
import { reconcileSchedules } from '../../src/connector/schedules.ts';
import { toTemporalSettings } from '../../src/connector/temporal-server.ts';
import { courierWorkflows } from '../../src/connector/worker.ts';
import { createLogger } from '../../src/observability/log.ts';
import type { WatchId } from '../../src/submission/ids.ts';
import { createDataConverter } from '../../src/temporal/data-converter.ts';
import { watchScheduleId } from '../../src/temporal-api/ids.ts';
import { courier, ofType, publish } from '../support/cli.ts';
import { startCodecServer } from '../support/codec-server.ts';
import { emptyDatabaseUrl } from '../support/database.ts';
import { AMPLE } from '../support/service.ts';
import { openShopFolder } from '../support/shop-folder.ts';
import { temporalAddress } from '../support/temporal.ts';

async function openShop(t: TestContext) {
  const address = await temporalAddress(t);
  const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite'), settings: { budgets: AMPLE } });
  t.after(() => service.close());
  const folder = await openShopFolder(t, service, address, {
    watch: 'guard: { max_new_percent: 50 }, schedule: { cron: "30 4 1 1 *" }',
  });
  const file = join(folder, 'courier.yaml');
  const plain = readFileSync(file, 'utf8');
  const encrypt = (keys: string) => {
    writeFileSync(file, plain.replace('namespace: default }', `namespace: default, encryption: ${keys} }`));
  };
  for (const name of ['first.key', 'second.key']) writeFileSync(join(folder, name), randomBytes(32).toString('base64'));
  const connection = await Connection.connect({ address });
  t.after(() => connection.close());
  return { folder, file, encrypt, address, connection };
}

/** A worker with the configuration of this moment; the returned function stops it. */
async function work(t: TestContext, file: string): Promise<{ connector: Connector; stop: () => Promise<void> }> {
  const config = loadConfig(file);
  const connector = await openConnector(config, toTemporalSettings(config), createLogger('silent', 'test'));
  const working = connector.run();
  const stop = async () => {
    connector.stop();
    await working;
  };
  t.after(stop);
  return { connector, stop };
}

interface Stored {
  readonly texts: readonly string[];
  readonly encrypted: number;
}

/** All text in the payloads and failures of a history: their data and what is not a payload. */
function readStored(history: unknown): Stored {
  const texts: string[] = [];
  let encrypted = 0;
  const visit = (value: unknown, key: string): void => {
    if (Array.isArray(value)) {
      for (const each of value) visit(each, key);
      return;
    }
    if (typeof value !== 'object' || value === null) {
      if ((key === 'message' || key === 'stackTrace') && typeof value === 'string') texts.push(value);
      return;
    }
    // Search attributes and ids are not payloads of ours: the server finds workflows by them.
    if (key === 'searchAttributes' || key === 'indexedFields') return;
    const { metadata, data } = value as { metadata?: Record<string, string>; data?: string };
    if (metadata?.encoding !== undefined) {
      if (Buffer.from(metadata.encoding, 'base64').toString() === 'binary/encrypted') encrypted += 1;
      texts.push(Buffer.from(data ?? '', 'base64').toString('latin1'));
      return;
    }
    for (const [name, inner] of Object.entries(value)) visit(inner, name);
  };
  visit(history, '');
  return { texts, encrypted };
}

async function fetchHistory(connection: Connection, workflowId: string): Promise<string> {
  return historyToJSON(await new Client({ connection }).workflow.getHandle(workflowId).fetchHistory());
}

interface RunRecord {
  readonly run: string;
  readonly result: { readonly submitted: number };
}

async function run(folder: string, expected = 0): Promise<RunRecord> {
  const ended = await courier(folder, 'run');
  assert.equal(ended.code, expected, ended.stderr);
  return (ofType(ended, 'run')[0] ?? {}) as unknown as RunRecord;
}

async function findHeld(folder: string): Promise<string> {
  const [watch] = ofType(await courier(folder, 'status'), 'watch');
  const [held] = (watch?.held ?? []) as { run: string }[];
  return held?.run ?? assert.fail('no run is held');
}

function assertNoClearText(id: string, history: string): void {
  const { texts, encrypted } = readStored(JSON.parse(history));
  assert.ok(encrypted > 5, `${id} has ${encrypted} encrypted payloads`);
  for (const text of texts)
    assert.doesNotMatch(text, /shop|example|sitemap|127\.0\.0/i, `${id}: ${text.slice(0, 300)}`);
}

describe('encrypted payloads', () => {
  test('switched on while a run is held: it continues, later runs are not readable, and replay and reset work', async (t) => {
    const { folder, file, encrypt, connection } = await openShop(t);
    const before = await work(t, file);
    publish(folder, ['1']);
    const { run: first } = await run(folder);
    const clear = readStored(JSON.parse(await fetchHistory(connection, first)));
    assert.ok(
      clear.texts.some((text) => /shop/.test(text)),
      'without encryption the server can read',
    );
    publish(folder, ['1', '2', '3', '4']);
    await run(folder, 8);
    const held = await findHeld(folder);
    await before.stop();

    encrypt('{ key: { file: first.key } }');
    const { connector } = await work(t, file);
    const { client, ledger } = connector.deps;
    const approved = await courier(folder, 'approve', held);
    assert.equal(approved.code, 0, approved.stderr);
    assert.match(String(JSON.stringify(await client.workflow.getHandle(held).result())), /"submitted":3/);

    publish(folder, ['1', '2', '3', '4', '5']);
    const { run: id, result } = await run(folder);
    assert.equal(result.submitted, 1);
    const history = await fetchHistory(connection, id);
    assertNoClearText(id, history);
    const workflowBundle = await courierWorkflows({ encodesFailures: true });
    const dataConverter = createDataConverter(toTemporalSettings(loadConfig(file)));
    await Worker.runReplayHistory({ workflowBundle, dataConverter }, JSON.parse(history), id);

    const { events } = await client.workflow.getHandle(id).fetchHistory();
    const completed = events?.find(({ workflowTaskCompletedEventAttributes: each }) => each)?.eventId ?? null;
    const { runId } = await client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: id },
      reason: 'test',
      requestId: randomUUID(),
      workflowTaskFinishEventId: completed,
    });
    // The ledger refuses to do an ended run again. The message is a failure, which is not a payload by itself.
    const { cause } = await client.workflow
      .getHandle(id, runId)
      .result()
      .then(assert.fail, (error: Error) => error);
    assert.match(`${cause} ${(cause as Error).cause}`, /has ended \(finished\)/, 'a client with the key reads it');
    const failure = await fetchHistory(connection, id);
    assert.match(failure, /"encodedAttributes"/);
    assertNoClearText(id, failure);

    assert.equal((await reconcileSchedules(client, loadConfig(file), ledger.id))[0]?.change, 'created');
    const schedule = await connection.workflowService.describeSchedule({
      namespace: 'default',
      scheduleId: watchScheduleId(ledger.id, 'shop' as WatchId),
    });
    const { input, userMetadata } = schedule.schedule?.action?.startWorkflow ?? {};
    for (const payload of [input?.payloads?.[0], userMetadata?.summary, userMetadata?.details])
      assert.equal(Buffer.from(payload?.metadata?.encoding ?? []).toString(), 'binary/encrypted');

    const url = await startCodecServer(t, folder, 'http://ui.example');
    const { payloads } = JSON.parse(history).events[0].workflowExecutionStartedEventAttributes.input;
    const decode = (origin: string) =>
      fetch(`${url}/decode`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json', 'x-namespace': 'default' },
        body: JSON.stringify({ payloads }),
      });
    const decoded = (await (await decode('http://ui.example')).json()) as { payloads: { data: string }[] };
    assert.match(Buffer.from(decoded.payloads[0]?.data ?? '', 'base64').toString(), /"watch":"shop"/);
    assert.equal((await decode('http://other.example')).status, 403);
  });

  test('a new key takes over a held run, and a key that is wrong is refused', async (t) => {
    const { folder, file, encrypt, connection } = await openShop(t);
    encrypt('{ key: { file: first.key } }');
    const first = await work(t, file);
    publish(folder, ['1']);
    await run(folder);
    publish(folder, ['1', '2', '3', '4']);
    await run(folder, 8);
    const held = await findHeld(folder);
    await first.stop();

    encrypt('{ key: { file: second.key }, former_keys: [{ file: first.key }] }');
    const { connector } = await work(t, file);
    const approved = await courier(folder, 'approve', held);
    assert.equal(approved.code, 0, approved.stderr);
    await connector.deps.client.workflow.getHandle(held).result();
    assertNoClearText(held, await fetchHistory(connection, held));

    writeFileSync(join(folder, 'second.key'), 'too short');
    const refused = await courier(folder, 'run');
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, /not 32 bytes in base64.*openssl rand -base64 32/);
    const findings = ofType(await courier(folder, 'doctor', '--no-sitemaps'), 'finding');
    assert.match(String(findings.find(({ check }) => check === 'temporal')?.message), /not 32 bytes in base64/);
  });
});
