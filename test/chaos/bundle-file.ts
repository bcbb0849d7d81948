import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** The bundle of a folder of workflows, among those of a run of fault schedules. */
export function toBundleFile(folder: string, workflowsPath: string): string {
  return join(folder, `${createHash('sha256').update(workflowsPath).digest('hex').slice(0, 16)}.js`);
}
