import type { TProperties } from 'typebox';
import { READ_TWO_WAYS } from '../../../contract/money.ts';
import { Type } from '../../json-schema/type.ts';

/** A settings object: an unknown setting is an error, not ignored. */
export const closed = { additionalProperties: false } as const;

interface Doc {
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

type Optional<Fields extends TProperties> = { [Name in keyof Fields]: ReturnType<typeof Type.Optional<Fields[Name]>> };

/** The same settings, none of them required. */
export const optional = <Fields extends TProperties>(fields: Fields): Optional<Fields> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Type.Optional(field)])) as Optional<Fields>;

/** A group of settings: those that are not `optional` are required. */
export const section = <Fields extends TProperties>(description: string, fields: Fields) =>
  Type.Object(fields, { ...closed, description });

/** A group of settings, none of which is required. */
export const group = <Fields extends TProperties>(description: string, fields: Fields) =>
  section(description, optional(fields));

export const Text = (
  description: string,
  more: Doc & { readonly maxLength?: number; readonly pattern?: string } = {},
) => Type.String({ minLength: 1, description, ...more });

/** The example is what nobody need write: the other value. */
export const Flag = (description: string, byDefault: boolean) =>
  Type.Boolean({ description, default: byDefault, examples: [!byDefault] });

export const Money = (description: string, { examples = ['50 TRY'], ...doc }: Doc = {}) =>
  Type.String({ pattern: PATTERN.amount, description, ...doc, examples });

export const Duration = (description: string, { examples = ['30s', '15m', '6h', '3d'], ...doc }: Doc = {}) =>
  Type.String({ pattern: PATTERN.duration, description, ...doc, examples });

export const Percent = (description: string, doc: Doc) =>
  Type.String({ pattern: PATTERN.percent, description, ...doc });

export const Count = (description: string, more: { readonly default?: number; readonly examples?: number[] } = {}) =>
  Type.Integer({ minimum: 1, description, ...more });

const FIVE_FIELDS = 'Five fields: minute, hour, day of the month, month, day of the week.';

export const Cron = (doc: Doc, what = '') => Text(`${what}${FIVE_FIELDS}`, doc);

export const Timezone = (description = 'IANA time zone.') =>
  Text(description, { default: 'UTC', examples: ['Europe/Istanbul'] });

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
          file: Text('Path of a file that contains only the secret, relative to this configuration file.', {
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
