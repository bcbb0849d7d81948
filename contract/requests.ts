import { Type } from 'typebox';
import { DEFAULT_PROJECT, LIMITS } from './limits.ts';
import { SERVICE_LEVELS, type ServiceLevel, SUBMISSION_STATES, type SubmissionState } from './states.ts';

/** No NUL and no lone surrogate: text that every database and every client can hold. */
const TEXT = '^[^\\u0000]*$';

/**
 * An absolute HTTP(S) URL with a host, without white space, control characters or backslashes, and without a user name
 * and password: URLs are shown and sent to others, and RFC 9110 calls such URLs an error. Unicode is welcome.
 * What only a parser can see (a port of 99999) is checked after this.
 */
export const HTTP_URL_PATTERN =
  '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\\\/?#@\\u0000-\\u0020\\u007f]+(?:[/?#][^\\s\\\\\\u0000-\\u0020\\u007f]*)?$';

const HttpUrl = Type.String({
  format: 'uri',
  pattern: HTTP_URL_PATTERN,
  maxLength: LIMITS.urlLength,
  description: 'Absolute HTTP(S) URL. Kept and shown as sent.',
});

const UNIQUE_URLS =
  'Unique HTTP(S) URLs. Also the same: URLs that differ only in the letter case of scheme and host, the default port, ' +
  'the slash of an empty path, or the fragment.';

const Service = Type.Unsafe<ServiceLevel>({
  type: 'string',
  enum: SERVICE_LEVELS,
  description: 'Service level (spec 2.3). Send it always: the default is a setting of the service.',
});

/** Body of POST /submissions (spec 2.2). */
export const CreateSubmission = Type.Object(
  {
    project: Type.Optional(
      Type.String({
        minLength: LIMITS.projectLength.min,
        maxLength: LIMITS.projectLength.max,
        pattern: TEXT,
        description: `Name of the project, in code points. "${DEFAULT_PROJECT}" when absent.`,
      }),
    ),
    url: Type.Optional(HttpUrl),
    urls: Type.Optional(
      Type.Array(HttpUrl, {
        minItems: 1,
        maxItems: LIMITS.submissionUrls,
        uniqueItems: true,
        description: UNIQUE_URLS,
      }),
    ),
    service: Type.Optional(Service),
  },
  {
    examples: [{ project: 'Shop', urls: ['https://shop.example/a', 'https://shop.example/b'], service: 'standard' }],
    additionalProperties: false,
    anyOf: [{ required: ['url'] }, { required: ['urls'] }],
  },
);
export type CreateSubmission = Type.Static<typeof CreateSubmission>;

/** Body of POST /index-check (spec 2.4). */
export const IndexCheck = Type.Object(
  {
    urls: Type.Array(HttpUrl, {
      minItems: 1,
      maxItems: LIMITS.indexCheckUrls,
      uniqueItems: true,
      description: UNIQUE_URLS,
    }),
  },
  { additionalProperties: false, examples: [{ urls: ['https://shop.example/a'] }] },
);
export type IndexCheck = Type.Static<typeof IndexCheck>;

const page = (description: string) => Type.Optional(Type.Integer({ minimum: 1, default: 1, description }));

/** Query of GET /submissions (spec 4.5). */
export const ListQuery = Type.Object({
  status: Type.Optional(Type.Unsafe<SubmissionState>({ type: 'string', enum: SUBMISSION_STATES })),
  reference: Type.Optional(Type.String({ description: 'Exactly this reference.' })),
  url: Type.Optional(Type.String({ format: 'uri', description: 'Submissions that hold this URL.' })),
  q: Type.Optional(
    Type.String({
      pattern: TEXT,
      maxLength: LIMITS.queryLength,
      description: 'Part of the project name or of the reference, in any letter case.',
    }),
  ),
  from: Type.Optional(Type.String({ format: 'date', description: 'First day (UTC), inclusive.' })),
  to: Type.Optional(Type.String({ format: 'date', description: 'Last day (UTC), inclusive.' })),
  page: page('Page of the list, newest first.'),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.listPage.max, default: LIMITS.listPage.default })),
});
export type ListQuery = Type.Static<typeof ListQuery>;

/** Query of GET /submissions/{reference} (spec 4.7). */
export const DetailQuery = Type.Object({
  url_page: page('Page of the URLs, in the order they were sent.'),
  url_limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.urlPage.max, default: LIMITS.urlPage.default })),
});
export type DetailQuery = Type.Static<typeof DetailQuery>;
