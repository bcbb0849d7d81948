import type { Database } from '../../src/database/database.ts';
import type { Principal } from '../accounts/keys.ts';
import type { IndexCheckProvider } from '../index-check/provider.ts';
import type { ServiceSettings } from '../settings.ts';
import type { Limiter } from './limits/budgets.ts';

/** What the routes are given. */
export interface Context {
  readonly db: Database;
  readonly settings: ServiceSettings;
  readonly limiter: Limiter;
  readonly provider: IndexCheckProvider;
  readonly now: () => number;
  /** Called after a submission was accepted, to start its processing. Must not throw or block. */
  readonly accepted: () => void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent it. Set on every route that needs authentication before anything else happens. */
    principal: Principal;
  }
}
