import { EXIT } from '../../cli-kit/exit-codes.ts';
import { findBuildProblems } from '../../connector/explain-builds.ts';
import { hasServer } from '../../connector/state-folder.ts';
import { withTemporal } from '../../connector/temporal-server.ts';
import { isDenied } from '../../temporal/access-error.ts';
import { toCommandError } from '../output/command.ts';
import type { Problem } from '../output/records/status.ts';
import type { CommandContext } from '../with-ledger.ts';

const DEADLINE_MS = 10_000;

/**
 * That the Temporal server does not respond, or that no worker does what it has to give. None where no server is configured and
 * none runs: cron brings its own.
 */
export async function findServerProblems({ config, file, ledger }: CommandContext): Promise<Problem[]> {
  if (!hasServer(config, file)) return [];
  try {
    const found = await withTemporal(config, file, (temporal) =>
      // The SDK would ask a server that refuses again for minutes, and a monitor waits for the answer.
      temporal.client.withDeadline(Date.now() + DEADLINE_MS, () => findBuildProblems(temporal, ledger.id)),
    );
    return found.map(({ watch, problem, next }) => ({
      subject: watch ?? 'temporal',
      exitCode: EXIT.partial,
      problem: `${problem}: ${next}`,
      lines: [problem, next],
    }));
  } catch (error) {
    // A right that only this look needs: doctor says so.
    if (isDenied(error)) return [];
    const failed = toCommandError(error);
    if (failed === null) throw error;
    return [{ subject: 'temporal', exitCode: failed.exitCode, problem: failed.message.replace(/[.]$/, '') }];
  }
}
