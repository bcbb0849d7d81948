import type { Database } from '../../src/database/database.ts';
import type { Principal } from '../accounts/keys.ts';
import type { BodyMemory } from '../capacity/body-memory.ts';
import type { FairQueue } from '../capacity/fair-queue.ts';
import type { Health } from '../capacity/health.ts';
import type { Load } from '../capacity/load.ts';
import type { Shares } from '../capacity/shares.ts';
import type { IndexCheckProvider } from '../index-check/provider.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { ServiceSettings } from '../settings.ts';
import type { Limiter } from './limits/budgets.ts';
import type { DeniedPace } from './limits/denied-pace.ts';

/** The dependencies of the routes. */
export interface Context {
  readonly db: Database;
  readonly settings: ServiceSettings;
  readonly limiter: Limiter;
  readonly deniedPace: DeniedPace;
  /** Shares the database between customers: requests use it through `shareDatabase`. */
  readonly queue: FairQueue;
  readonly load: Load;
  readonly shares: Shares;
  readonly bodies: BodyMemory;
  readonly health: Health;
  readonly provider: IndexCheckProvider;
  readonly metrics: Metrics;
  readonly now: () => number;
  /** Starts the processing of an accepted submission. Never throws, never blocks. */
  readonly accepted: () => void;
  /** Restores the charge of an index-check as soon as the storage can be used again. */
  readonly restoreSoon: (id: string) => void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent it. Set on every route that needs authentication before anything else happens. */
    principal: Principal;
  }
}
