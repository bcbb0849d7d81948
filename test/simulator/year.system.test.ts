import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const YEAR = fileURLToPath(new URL('./simulate-year.ts', import.meta.url));

describe('watches that run by their schedules', () => {
  test('run at each time, however bad the moments at which acts come', async () => {
    const args = ['--days', '16', '--days-per-act', '1', '--bad-moments'];
    // Rejects when a promise was missed: the command ends with 1.
    await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', YEAR, ...args]);
  });
});
