import { basename, dirname } from 'node:path';

/** SQLite's words for a state file that is no database any more, also in part. */
const DAMAGED = /database disk image is malformed|file is not a database/;

/**
 * The local Temporal server did not start. Nothing was submitted or charged. Exit code 3 when its state file is damaged, which
 * does not heal by itself; else 5.
 */
export class ServerStartError extends Error {
  override readonly name = 'ServerStartError';
  /** What the server printed. */
  readonly output: string;
  readonly isDamaged: boolean;

  constructor(why: string, output: string, file: string | null) {
    const isDamaged = file !== null && DAMAGED.test(output);
    super(
      isDamaged
        ? `The state file of the local Temporal server is damaged: ${file}. Nothing was submitted or charged. Stop the ` +
            `workers of this folder and delete ${basename(file)}, ${basename(file)}-wal and ${basename(file)}-shm in ` +
            `${dirname(file)}; the next start makes it again. The ledger has the purchases, the schedules come from the ` +
            'configuration, and open jobs are followed again: nothing of the money is lost. What is lost: the history in the Web UI, and the ' +
            'place of a run that was under way or waited for a decision; the next run finds its URLs again.'
        : `The Temporal server did not start, so nothing was submitted or charged: ${why} ${output.slice(0, 500).trim()}`,
    );
    this.output = output;
    this.isDamaged = isDamaged;
  }
}
