import { READ_TWO_WAYS } from '../../../contract/money.ts';
import { Type } from '../../json-schema/type.ts';

/** A settings object: an unknown setting is an error, not ignored. */
export const closed = { additionalProperties: false } as const;

interface Doc {
  readonly description: string;
  /** The default, as a configuration writes it. */
  readonly default?: string;
  readonly examples?: readonly string[];
}

/** What tells the kinds of text apart, here and in messages. */
export const PATTERN = {
  /** At most 999,999,999.999999: what is larger is no exact number of micro-lira. */
  amount: `^(?!${READ_TWO_WAYS}(\\s*TRY)?$)\\d{1,9}(\\.\\d{1,6})?(\\s*TRY)?$`,
  duration: '^\\d{1,9}(\\.\\d{1,3})?\\s*(ms|s|m|h|d)$',
  percent: '^(100|\\d{1,2})(\\.\\d{1,2})?\\s*%$',
  path: '^[/*]',
  variable: '^[A-Z_][A-Z0-9_]*$',
  /** Names of accounts and watches: they appear in ids, files and commands. */
  name: '^[a-z0-9][a-z0-9_-]{0,62}$',
  address: '^https?://[^@\\s]+$',
  robots: '^https?://',
  /** A path, and not the text of a certificate or key, which messages would repeat. */
  file: '^(?!-----BEGIN)[^\\r\\n]+$',
  database: '^(sqlite:|postgres(ql)?://)',
} as const;

export const Money = ({ examples = ['50 TRY'], ...doc }: Doc) =>
  Type.String({ pattern: PATTERN.amount, ...doc, examples });

export const Duration = ({ examples = ['30s', '15m', '6h', '3d'], ...doc }: Doc) =>
  Type.String({ pattern: PATTERN.duration, ...doc, examples });

export const Percent = (doc: Doc) => Type.String({ pattern: PATTERN.percent, ...doc });

export const Count = (description: string, more: { readonly default?: number; readonly examples?: number[] } = {}) =>
  Type.Integer({ minimum: 1, description, ...more });

/** A glob over a path. One over a whole URL would match nothing, silently; `checkScope` finds the others that do. */
export const Glob = Type.String({
  pattern: PATTERN.path,
  maxLength: 2_048,
  description: 'A path pattern such as /products/**.',
});

/** A secret, with a variable and a file that an example of it names, and what it is where its name does not say it. */
export const secretOf = (variable: string, file: string, what = '') =>
  Type.Union(
    [
      Type.Object(
        {
          env: Type.String({
            pattern: PATTERN.variable,
            maxLength: 100,
            description: 'Name of an environment variable: capital letters, digits and underscores.',
            examples: [variable],
          }),
        },
        closed,
      ),
      Type.Object(
        {
          file: Type.String({
            minLength: 1,
            description: 'Path of a file that contains only the secret, relative to this configuration file.',
            examples: [file],
          }),
        },
        closed,
      ),
    ],
    {
      description: `${what}Source of the secret, never the secret itself: { env: NAME } or { file: PATH }.`,
      examples: [{ env: variable }, { file }],
    },
  );

/** The API key of an account. */
export const Secret = secretOf('COURIER_API_KEY', '/run/secrets/courier');

export const Service = Type.Enum(['standard', 'fast'], {
  description: 'Service level: standard (3 hours to 7 days) or fast (5 to 10 minutes). It decides the price.',
  default: 'standard',
});
