/** The worked example of docs/contributing/changing-a-workflow.md: which code can continue with which executions. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { createLogger } from '../../../src/observability/log.ts';
import { installRuntime } from '../../../src/temporal/runtime.ts';
import { bundleWorkflows } from '../../../src/temporal/workflow-code.ts';
import { fetchHistory, readRecording, report, writeRecording } from '../recordings.ts';
import { runOnServer } from '../run-on-server.ts';
import { reportActivities } from './activities.ts';

const FOLDER = fileURLToPath(new URL('./', import.meta.url));
const HISTORIES = join(FOLDER, 'histories');
/** Versions whose executions are recorded. */
const RECORDED = ['v1', 'v2-patched', 'v3-deprecated'];

const getBundle = (version: string) => bundleWorkflows(join(FOLDER, 'workflows', `${version}.ts`));

const replay = async (code: string, history: string): Promise<void> => {
  installRuntime(createLogger('silent', 'test'));
  const workflowBundle = await getBundle(code);
  await Worker.runReplayHistory({ workflowBundle }, readRecording(`${history}.json`, HISTORIES), 'replay');
};

/** Which executions each version can continue with, in the order in which they are deployed. */
const GOES_ON: readonly (readonly [code: string, executions: readonly string[]])[] = [
  ['v1', ['v1']],
  ['v2-patched', ['v1', 'v2-patched', 'v3-deprecated']],
  ['v3-deprecated', ['v2-patched', 'v3-deprecated']],
  ['v4-removed', ['v3-deprecated']],
];

const skip = process.env.COURIER_TEST_RECORD === undefined ? 'npm run record:replay records' : false;
describe('recording', { skip }, () => {
  for (const version of RECORDED) {
    test(version, async (t) => {
      const workflowBundle = await getBundle(version);
      const code = { workflowBundle, activities: reportActivities };
      const { address, workflowId } = await runOnServer(t, { workflow: 'weeklyReport', ...code });
      const path = join(HISTORIES, `${version}.json`);
      report(path, writeRecording(path, await fetchHistory(address, workflowId)), version);
    });
  }
});

describe('a changed workflow', () => {
  for (const [code, executions] of GOES_ON) {
    for (const history of RECORDED) {
      const fits = executions.includes(history);
      test(`the code of ${code} ${fits ? 'continues with' : 'cannot continue with'} executions of ${history}`, async () => {
        if (fits) await replay(code, history);
        else await assert.rejects(replay(code, history), /TMPRL1100|nondeterminis/i);
      });
    }
  }
});
