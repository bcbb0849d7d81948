import { asFlag, asText, indexFields, type JsonObject, readFirst } from './fields.ts';

/** What `GET /` says of the service (spec 4.1; fields not shown). */
export interface ServiceView {
  /** Null where the service does not show it. */
  readonly version: string | null;
  /** Whether submissions are accepted now; null where the service does not show it in a way that can be read. */
  readonly available: boolean | null;
  /** All that the service shows, as it came. */
  readonly shown: JsonObject;
}

export function toServiceView(shown: JsonObject): ServiceView {
  const fields = indexFields(shown);
  return {
    version: readFirst(fields, ['version', 'apiversion'], asText),
    available: readFirst(fields, ['available', 'availability', 'isavailable'], asFlag),
    shown,
  };
}
