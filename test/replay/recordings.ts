import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findTemporalBinary } from '../../src/temporal/server-binary.ts';
import { ROOT } from '../suites.ts';

/** WORKFLOW/VERSION/SCENARIO.json: what workflows of each released version did. Executions like these run out there. */
export const HISTORIES = fileURLToPath(new URL('./histories/', import.meta.url));

interface Event {
  readonly eventType: string;
  readonly workflowExecutionStartedEventAttributes?: { readonly workflowType: { readonly name: string } };
  activityTaskScheduledEventAttributes?: { readonly activityType: { name: string } };
}
export interface History {
  readonly events: readonly Event[];
}

export const listRecordings = (folder = HISTORIES): string[] => globSync('**/*.json', { cwd: folder }).toSorted();

export const readRecording = (name: string, folder = HISTORIES): History =>
  JSON.parse(readFileSync(join(folder, name), 'utf8')) as History;

export const getWorkflowType = ({ events }: History): string =>
  events[0]?.workflowExecutionStartedEventAttributes?.workflowType.name ?? 'none';

export const getVersion = (): string =>
  (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;

/** Writes a recording unless it exists. A recording is never overwritten: executions of its version may still run. */
export function writeRecording(path: string, history: string): 'written' | 'exists' {
  if (existsSync(path)) return 'exists';
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(JSON.parse(history))}\n`);
  return 'written';
}

/** Records a workflow under `npm run record:replay` (COURIER_TEST_RECORD); does nothing otherwise. */
export async function recordHistory(scenario: string, address: string, workflowId: string): Promise<void> {
  if (process.env.COURIER_TEST_RECORD === undefined) return;
  const history = await fetchHistory(address, workflowId);
  const version = getVersion();
  const path = join(HISTORIES, getWorkflowType(JSON.parse(history) as History), version, `${scenario}.json`);
  report(path, writeRecording(path, history), version);
}

export function report(path: string, outcome: 'written' | 'exists', version: string): void {
  const name = relative(ROOT, path);
  process.stderr.write(
    outcome === 'written'
      ? `recorded ${name}\n`
      : `kept ${name}: recordings are never overwritten. If the workflow does something else now, raise "version" in ` +
          `package.json above ${version} and record again; the recordings of ${version} stay and must still replay.\n`,
  );
}

/** A history as JSON, without what names the machine that recorded it: replaying needs no stack and no identity. */
export async function fetchHistory(address: string, workflowId: string): Promise<string> {
  const show = ['workflow', 'show', '--address', address, '--workflow-id', workflowId, '--output', 'json'];
  const { stdout } = await promisify(execFile)(await findTemporalBinary(() => undefined), show, { maxBuffer: 2 ** 26 });
  return stdout.replaceAll(ROOT, '').replace(/"identity": "[^"]*"/g, '"identity": "worker"');
}
