import type { Connection } from '@temporalio/client';
import { SearchAttributeType } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../temporal-api/search-attributes.ts';

/** temporal.api.enums.v1.IndexedValueType */
const INDEXED_VALUE_TYPE = { [SearchAttributeType.KEYWORD]: 2, [SearchAttributeType.INT]: 3 } as const;

/** Registers the attributes that our workflows set; leaves existing ones unchanged. */
export async function ensureSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const known = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.values(SEARCH_ATTRIBUTES).filter((key) => known.customAttributes?.[key.name] === undefined);
  if (missing.length === 0) return;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(missing.map((key) => [key.name, INDEXED_VALUE_TYPE[key.type]])),
  });
}
