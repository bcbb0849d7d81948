import { asWord, indexFields, type Json, readFirst } from './fields.ts';

/** The usual places of the account. The key has an id too, and a rotated key must not appear as another account. */
const ACCOUNT = ['account', 'user', 'customer', 'organization', 'organisation', 'company', 'team', 'owner'];
const INSIDE = ['id', 'uuid', 'accountid', 'accountuuid', 'accountnumber', 'number', 'userid', 'customerid', 'email'];
const BESIDE = ['accountid', 'accountuuid', 'accountnumber', 'userid', 'customerid', 'organizationid', 'email'];

/**
 * The account in `GET /me` (spec 4.2; fields not shown), as `field=value`. Ignores names: an account may be renamed.
 * Null where the service does not show it.
 */
export function readIdentity(data: Json): string | null {
  const fields = indexFields(data);
  for (const name of ACCOUNT) {
    const found = readNamed(indexFields(fields.get(name)), INSIDE, (field) =>
      field.startsWith(name) ? field : name + field,
    );
    if (found !== null) return found;
  }
  const named = readNamed(fields, BESIDE, (field) => field);
  if (named !== null) return named;
  // `{ "account": "acc_42" }`, or the account's fields without a wrapper.
  return readNamed(fields, ['account', 'id', 'uuid'], (field) =>
    field === 'account' ? 'accountid' : `account${field}`,
  );
}

function readNamed(
  fields: ReadonlyMap<string, Json>,
  names: readonly string[],
  label: (field: string) => string,
): string | null {
  for (const name of names) {
    const value = readFirst(fields, [name], asWord);
    if (value !== null) return `${label(name)}=${value}`;
  }
  return null;
}
