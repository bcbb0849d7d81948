import { Ajv } from 'ajv';

/** A date that exists: 2026-02-30 does not. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/**
 * Checks requests against the contract. Nothing is coerced, removed or filled in: what the client sent is what is
 * judged and fingerprinted. It stops at the first breach, so that a hostile body cannot make a million errors.
 */
const ajv = new Ajv({
  strict: false,
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  // Unicode is welcome in URLs, so `uri` is what a URL parser accepts.
  formats: { uri: (text: string) => text.isWellFormed() && URL.canParse(text), date: isDate, 'date-time': true },
});

// Stands in the contract and is held by checkUrls, which knows when two URLs are the same. Ajv's own turns every text into
// an object key: 7 ms of the 9 that validating 5,000 URLs took.
ajv.removeKeyword('uniqueItems').addKeyword('uniqueItems');

export const compileValidator = ({ schema }: { schema: unknown }) => ajv.compile(schema as object);
