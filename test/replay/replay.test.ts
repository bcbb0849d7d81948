import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Worker } from '@temporalio/worker';
import { courierWorkflows } from '../../src/connector/worker.ts';
import * as workflows from '../../workflows/index.ts';
import { HISTORIES } from './record.ts';
import '../support/temporal.ts';

interface Event {
  readonly eventType: string;
  readonly workflowExecutionStartedEventAttributes?: { readonly workflowType: { readonly name: string } };
  activityTaskScheduledEventAttributes?: { readonly activityType: { name: string } };
}
interface History {
  readonly events: readonly Event[];
}

const names = readdirSync(HISTORIES).filter((name) => name.endsWith('.json'));
const read = (name: string) => JSON.parse(readFileSync(new URL(name, HISTORIES), 'utf8')) as History;

async function replay(history: History): Promise<void> {
  await Worker.runReplayHistory({ workflowBundle: await courierWorkflows() }, history, 'replay');
}

test('every workflow has a recorded history', () => {
  const recorded = names.map(
    (name) => read(name).events[0]?.workflowExecutionStartedEventAttributes?.workflowType.name,
  );
  assert.deepEqual([...new Set(recorded)].sort(), Object.keys(workflows).sort());
});

for (const name of names) {
  test(`a workflow that runs out there goes on under today's code: ${name}`, () => replay(read(name)));
}

test('a workflow that no longer fits its history would be seen', async () => {
  const history = read(names.find((name) => name.includes('plausible'))!);
  for (const { activityTaskScheduledEventAttributes: scheduled } of history.events) {
    if (scheduled?.activityType.name === 'diffRun') scheduled.activityType.name = 'somethingElse';
  }
  await assert.rejects(replay(history), /TMPRL1100|nondeterminis/i);
});

test('no payload in any recorded history is larger than 32 KB', () => {
  for (const name of names) {
    const sizes = [...readFileSync(new URL(name, HISTORIES), 'utf8').matchAll(/"data":"([^"]*)"/g)].map(
      (m) => m[1]!.length * 0.75,
    );
    assert.ok(Math.max(...sizes) < 32_768, `${name}: ${Math.max(...sizes)} bytes`);
  }
});
