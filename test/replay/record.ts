import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findTemporalBinary } from '../../src/temporal/server-binary.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const HISTORIES = new URL('./histories/', import.meta.url);

/**
 * Keeps a history for the replay test when COURIER_TEST_RECORD is set (`npm run record:replay`): after a workflow
 * was changed on purpose behind `patched()`, or a scenario was added. Old recordings stay: they are what runs out there.
 */
export async function keepHistory(scenario: string, address: string, workflowId: string): Promise<void> {
  if (process.env.COURIER_TEST_RECORD === undefined) return;
  const name = scenario
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 80);
  mkdirSync(HISTORIES, { recursive: true });
  const show = ['workflow', 'show', '--address', address, '--workflow-id', workflowId, '--output', 'json'];
  const { stdout } = await promisify(execFile)(await findTemporalBinary(() => undefined), show, { maxBuffer: 2 ** 26 });
  // Stack traces and worker identities name the machine that recorded; replaying needs neither.
  const anonymous = stdout.replaceAll(ROOT, '').replace(/"identity": "[^"]*"/g, '"identity": "worker"');
  writeFileSync(new URL(`${name}.json`, HISTORIES), `${JSON.stringify(JSON.parse(anonymous))}\n`);
}
