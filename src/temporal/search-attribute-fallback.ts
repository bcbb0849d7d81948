import type { WorkflowClientInterceptor } from '@temporalio/client';
import { NO_SEARCH_ATTRIBUTES } from '../temporal-api/search-attributes.ts';

const INVALID_ARGUMENT = 3;

/** Whether the server refused a request because the namespace does not have a search attribute of ours. */
export function isUnknownSearchAttribute(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code, message } = each as Error & { readonly code?: unknown };
    if (code === INVALID_ARGUMENT && /search attribute/i.test(message)) return true;
  }
  return false;
}

interface Startable {
  readonly typedSearchAttributes?: unknown;
  readonly memo?: Record<string, unknown>;
}

/** The same start without search attributes, with the memo that keeps the workflow from setting any. */
export function withoutSearchAttributes<T extends Startable>({ typedSearchAttributes: _, ...options }: T): T {
  return { ...options, memo: { ...options.memo, [NO_SEARCH_ATTRIBUTES]: true } } as unknown as T;
}

/**
 * Starts workflows without search attributes where the namespace does not have ours and nobody could register them. The
 * first start finds that out; ids and the ledger carry everything that the program itself needs.
 */
export function searchAttributeFallback(): WorkflowClientInterceptor {
  let missing = false;

  async function attempt<Input extends { readonly options: Startable }, Result>(
    input: Input,
    next: (input: Input) => Promise<Result>,
  ): Promise<Result> {
    const without = () => next({ ...input, options: withoutSearchAttributes(input.options) });
    if (missing) return without();
    try {
      return await next(input);
    } catch (error) {
      if (!isUnknownSearchAttribute(error)) throw error;
      missing = true;
      return without();
    }
  }

  return {
    startWithDetails: (input, next) => attempt(input, next),
    signalWithStart: (input, next) => attempt(input, next),
  };
}
