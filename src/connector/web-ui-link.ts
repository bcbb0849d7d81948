import { DISPATCH_PHASE, WATCH_PHASE } from '../temporal-api/phases.ts';

const { held, waiting, incomplete } = WATCH_PHASE;
const { suspended, keyRejected } = DISPATCH_PHASE;
const PHASES = [held, waiting, suspended, keyRejected, incomplete].map((phase) => `'${phase}'`);

/** What waits for you, for money or for a key, and what has failed: without a column, the list shows it like all others. */
const TROUBLED = `CourierPhase IN (${PHASES.join(', ')}) OR ExecutionStatus='Failed'`;

/** Temporal's Web UI with these workflows alone. `namespace`: of the configuration, empty for the default one. */
export const toTroubleLink = (uiUrl: string, namespace: string): string =>
  `${uiUrl}/namespaces/${encodeURIComponent(namespace === '' ? 'default' : namespace)}/workflows?${new URLSearchParams({ query: TROUBLED })}`;
