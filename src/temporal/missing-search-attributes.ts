import type { Connection } from '@temporalio/client';
import { SearchAttributeType } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../temporal-api/search-attributes.ts';

type Key = (typeof SEARCH_ATTRIBUTES)[keyof typeof SEARCH_ATTRIBUTES];

const INVALID_ARGUMENT = 3;

/**
 * The search attributes of ours that a namespace does not have, found without the operator service, which a namespace of
 * Temporal Cloud and a key without operator rights do not have: the server refuses a query that names an unknown one.
 */
export async function findMissingSearchAttributes(connection: Connection, namespace: string): Promise<Key[]> {
  const keys = Object.values(SEARCH_ATTRIBUTES);
  const found = await Promise.all(keys.map((key) => isMissing(connection, namespace, key)));
  return keys.filter((_, at) => found[at]);
}

async function isMissing(connection: Connection, namespace: string, { name, type }: Key): Promise<boolean> {
  const query = `${name} = ${type === SearchAttributeType.INT ? '0' : "''"}`;
  try {
    await connection.workflowService.countWorkflowExecutions({ namespace, query });
    return false;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === INVALID_ARGUMENT) return true;
    throw error;
  }
}

/** What an administrator of the namespace runs, on a server of your own and on Temporal Cloud. */
export function formatAdminCommand(namespace: string, keys: readonly Key[]): string {
  const type = (key: Key) => (key.type === SearchAttributeType.INT ? 'Int' : 'Keyword');
  const own = keys.map((key) => `--name ${key.name} --type ${type(key)}`).join(' ');
  const cloud = keys.map((key) => `--search-attribute "${key.name}=${type(key)}"`).join(' ');
  return (
    `temporal operator search-attribute create --namespace ${namespace} ${own}` +
    `, or on Temporal Cloud: tcld namespace search-attributes add --namespace ${namespace} ${cloud}`
  );
}
