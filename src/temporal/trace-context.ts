import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import type { Context, ContextManager, ROOT_CONTEXT } from '@opentelemetry/api';

/**
 * Keeps the current span through asynchronous code, so that what an activity starts belongs to its trace. In place of
 * another package: this is all that is used of it.
 */
export function createContextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const { ROOT_CONTEXT: root } = createRequire(import.meta.url)('@opentelemetry/api') as {
    ROOT_CONTEXT: typeof ROOT_CONTEXT;
  };
  const manager: ContextManager = {
    active: () => storage.getStore() ?? root,
    with: (context, run, receiver, ...args) => storage.run(context, () => run.apply(receiver, args)),
    bind: (context, target) =>
      typeof target === 'function'
        ? (((...args: unknown[]) => storage.run(context, () => target(...args))) as typeof target)
        : target,
    enable: () => manager,
    disable() {
      storage.disable();
      return manager;
    },
  };
  return manager;
}
