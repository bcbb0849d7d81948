import type { Connection } from '@temporalio/client';
import { SearchAttributeType } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../temporal-api/search-attributes.ts';
import { findMissingSearchAttributes, formatAdminCommand } from './missing-search-attributes.ts';

/** temporal.api.enums.v1.IndexedValueType */
const INDEXED_VALUE_TYPE = { [SearchAttributeType.KEYWORD]: 2, [SearchAttributeType.INT]: 3 } as const;

/** gRPC status codes of a server that does not let us register them: no right, no such service, or no room. */
const REFUSED = new Set([3, 7, 8, 9, 12]);

/**
 * Registers the attributes that our workflows set; leaves existing ones unchanged. Returns null, or a notice for the log
 * when some are missing and the server does not allow it (Temporal Cloud, a connection without operator rights):
 * everything works without.
 */
export async function ensureSearchAttributes(connection: Connection, namespace: string): Promise<string | null> {
  try {
    const known = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = Object.values(SEARCH_ATTRIBUTES).filter((key) => known.customAttributes?.[key.name] === undefined);
    if (missing.length === 0) return null;
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((key) => [key.name, INDEXED_VALUE_TYPE[key.type]])),
    });
    return null;
  } catch (error) {
    const { code, details } = error as { readonly code?: number; readonly details?: string };
    if (code === undefined || !REFUSED.has(code)) throw error;
    const missing = await findMissingSearchAttributes(connection, namespace);
    if (missing.length === 0) return null;
    return (
      `The namespace ${namespace} lacks search attributes of the Web UI, and they could not be registered (${details}). ` +
      'Nothing else depends on them: runs, submissions and schedules work without. To filter by account or watch in the ' +
      `Web UI, let an administrator run: ${formatAdminCommand(namespace, missing)}. Workflows that start afterwards have them.`
    );
  }
}
