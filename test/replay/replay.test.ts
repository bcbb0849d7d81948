import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker, type WorkflowBundleOption } from '@temporalio/worker';
import * as serviceWorkflows from '../../service/processing/workflows/index.ts';
import { courierWorkflows } from '../../src/connector/worker.ts';
import { bundleWorkflows } from '../../src/temporal/workflow-code.ts';
import * as connectorWorkflows from '../../workflows/index.ts';
import {
  getVersion,
  getWorkflowType,
  HISTORIES,
  type History,
  listRecordings,
  readRecording,
  writeRecording,
} from './recordings.ts';
import '../support/temporal.ts';

const SERVICE_WORKFLOWS = fileURLToPath(new URL('../../service/processing/workflows/index.ts', import.meta.url));

/** The sink of the interceptors that write traces. */
const NO_SPANS = { exporter: { export: { fn: () => undefined } } };

/** Each program has a bundle of its own. */
const getBundle = (history: History): Promise<WorkflowBundleOption> =>
  getWorkflowType(history) in serviceWorkflows ? bundleWorkflows(SERVICE_WORKFLOWS) : courierWorkflows();

async function replay(history: History): Promise<void> {
  await Worker.runReplayHistory({ workflowBundle: await getBundle(history) }, history, 'replay');
}

const names = listRecordings();
const ofCourier = names.filter((name) => getWorkflowType(readRecording(name)) in connectorWorkflows);

describe('recorded histories', () => {
  test('every workflow of both programs has one, under its name and a version that is not in the future', () => {
    const recorded = names.map((name) => getWorkflowType(readRecording(name)));
    const types = [...Object.keys(connectorWorkflows), ...Object.keys(serviceWorkflows)];
    assert.deepEqual([...new Set(recorded)].toSorted(), types.toSorted());
    for (const [at, name] of names.entries()) {
      const [type, version = '', scenario] = name.split('/');
      assert.equal(type, recorded[at], name);
      assert.ok(version.localeCompare(getVersion(), 'en', { numeric: true }) <= 0, `${name} is newer than the package`);
      assert.match(scenario ?? '', /^[a-z0-9-]+\.json$/);
    }
  });

  for (const name of names) test(`${name} continues under the code of today`, () => replay(readRecording(name)));

  for (const name of ofCourier)
    test(`${name} continues when traces are switched on while it is under way`, async () => {
      const workflowBundle = await courierWorkflows({ traced: true });
      await Worker.runReplayHistory({ workflowBundle, sinks: NO_SPANS }, readRecording(name), 'replay');
    });

  test('a workflow that does not fit its history fails the replay', async () => {
    const history = readRecording('watchSitemap/1.0.0/plausible.json');
    for (const { activityTaskScheduledEventAttributes: scheduled } of history.events) {
      if (scheduled?.activityType.name === 'diffRun') scheduled.activityType.name = 'somethingElse';
    }
    await assert.rejects(replay(history), /TMPRL1100|nondeterminis/i);
  });

  test('no payload is larger than 32 KB', () => {
    for (const name of names) {
      const text = readFileSync(join(HISTORIES, name), 'utf8');
      const sizes = [...text.matchAll(/"data":"([^"]*)"/g)].map(([, data = '']) => data.length * 0.75);
      assert.ok(Math.max(...sizes) < 32_768, `${name}: ${Math.max(...sizes)} bytes`);
    }
  });

  test('none is ever overwritten', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'courier-recordings-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'aWorkflow', '1.0.0', 'a-scenario.json');
    assert.equal(writeRecording(path, '{"events":[1]}'), 'written');
    assert.equal(writeRecording(path, '{"events":[2]}'), 'exists');
    assert.equal(readFileSync(path, 'utf8'), '{"events":[1]}\n');
  });
});
