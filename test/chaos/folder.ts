import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';

/**
 * A folder for the files of fault schedules, in memory where there is such a place: programs are killed, the machine is
 * not, so what was written is there again, and nothing waits for a disk.
 */
export function newFolder(): string {
  return mkdtempSync(join(existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'courier-faults-'));
}
