import type { LedgerId } from '../../submission/ids.ts';
import { isDenied } from '../../temporal/access-error.ts';
import type { Connected } from '../../temporal/connect.ts';
import { explainWorkers, findBuildProblems, formatBuild } from '../explain-builds.ts';
import { findWorkers, getCurrentBuild } from '../find-workers.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const ABOUT = { check: 'worker', subject: null } as const;

/** Who works for the ledger, on which build, and what nobody works on. */
export async function checkWorkers(temporal: Connected, ledger: LedgerId): Promise<Finding[]> {
  try {
    const problems = await findBuildProblems(temporal, ledger);
    if (problems.length > 0)
      return problems.map(({ watch, problem, next }) => fail({ ...ABOUT, subject: watch }, problem, next));
    const workers = await findWorkers(temporal, ledger);
    const none = explainWorkers(workers);
    if (none !== null) return [fail(ABOUT, none.problem, none.next)];
    const names = [...new Set([...workers.values()].flatMap(({ pollers }) => pollers.map(({ identity }) => identity)))];
    const build = getCurrentBuild(workers);
    const current = build === null ? '' : `; ${formatBuild(build)} is current`;
    return [
      ok(
        ABOUT,
        `${names.length === 1 ? '1 worker polls' : `${names.length} workers poll`} (${names.join(', ')})${current}`,
      ),
    ];
  } catch (error) {
    if (!isDenied(error)) throw error;
    return [warn(ABOUT, 'the Temporal server does not let this connection see who works', GRANT)];
  }
}

const GRANT = 'let an administrator of the namespace give it the right to describe task queues and list workflows';
