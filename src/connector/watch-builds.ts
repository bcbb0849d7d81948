import type { LedgerId } from '../submission/ids.ts';
import { isDenied } from '../temporal/access-error.ts';
import type { Connected } from '../temporal/connect.ts';
import { recordCode } from '../temporal/deployment.ts';
import { findGrpcStatus, isPassing } from '../temporal/grpc-status.ts';
import type { DeploymentVersion } from '../temporal/version-status.ts';
import { findBuildProblems } from './explain-builds.ts';
import { digestWorkflows } from './worker.ts';

export interface BuildWatchOptions {
  readonly temporal: Pick<Connected, 'client' | 'namespace'>;
  readonly ledger: LedgerId;
  /** The build of this worker. */
  readonly version: DeploymentVersion | undefined;
  readonly log: Readonly<Record<'info' | 'warn', (text: string) => void>>;
  readonly setTrouble: (trouble: 'temporal' | 'build', is: boolean) => void;
}

/**
 * Returns a function that says once which work no worker takes, and once that workers take all of it. The first call also records
 * which workflow code this build is. Call it every few seconds or minutes.
 */
export function createBuildWatch({
  temporal,
  ledger,
  version,
  log,
  setTrouble,
}: BuildWatchOptions): () => Promise<void> {
  const denied = new Set<string>();
  let waiting = new Set<string>();
  let isRecorded = false;
  /** A request that is not allowed is logged once; others may be allowed. */
  const ask = async (work: () => Promise<void>, unlessDenied: string): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!isDenied(error)) throw error;
      if (!denied.has(unlessDenied)) log.warn(unlessDenied);
      denied.add(unlessDenied);
    }
  };
  const look = async (): Promise<void> => {
    if (version !== undefined && !isRecorded) {
      await ask(async () => recordCode(temporal, version, await digestWorkflows()), NO_METADATA);
      isRecorded = true;
    }
    await ask(async () => {
      const found = (await findBuildProblems(temporal, ledger)).map(({ problem, next }) => `${problem}: ${next}`);
      for (const each of found.filter((text) => !waiting.has(text))) log.warn(each);
      if (found.length === 0 && waiting.size > 0) log.info('workers take all work of this ledger again');
      waiting = new Set(found);
      setTrouble('build', found.length > 0);
    }, NO_LOOK);
  };
  return async () => {
    try {
      await look();
      setTrouble('temporal', false);
    } catch (error) {
      // The SDK logs that the server is away, once for all requests.
      const status = findGrpcStatus(error);
      if (status === null || !isPassing(status)) throw error;
      setTrouble('temporal', true);
    }
  };
}

const NO_METADATA =
  'the Temporal server does not let this connection write the metadata of its build: "courier deployments move" cannot move a ' +
  'run to it. Work goes on; let an administrator of the namespace give it the right';
const NO_LOOK =
  'the Temporal server does not let this connection see who works: a build without workers is not noticed. Work goes on; let an ' +
  'administrator of the namespace give it the right to describe task queues and list workflows';
