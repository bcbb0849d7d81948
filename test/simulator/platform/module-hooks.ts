import { registerHooks } from 'node:module';

const SITEMAP_REQUEST = new URL('./sitemap-request.ts', import.meta.url).href;
/** Does not compile where the stand-in lacks an export of the module. */
export type SitemapRequest = Pick<
  typeof import('./sitemap-request.ts'),
  keyof typeof import('../../../src/sitemap/fetch/request.ts')
>;

/**
 * Workflow code, and the names that it shares with its callers, get the stand-in where they import Temporal's SDK.
 * Registered before they are loaded.
 */
const STAND_IN = new URL('../temporal/workflow.ts', import.meta.url).href;
const MEMORY_DATABASE = new URL('./memory-database.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@temporalio/workflow' && context.parentURL?.includes('/node_modules/') !== true) {
      return { url: STAND_IN, shortCircuit: true };
    }
    if (specifier === './request.ts' && context.parentURL?.endsWith('/src/sitemap/fetch/http.ts')) {
      return { url: SITEMAP_REQUEST, shortCircuit: true };
    }
    if (specifier === 'node:sqlite' && context.parentURL?.endsWith('/src/database/sqlite.ts')) {
      return { url: MEMORY_DATABASE, shortCircuit: true };
    }
    return next(specifier, context);
  },
});
