import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database, Queryable } from '../../../src/database/database.ts';
import { type AuditEvent, type AuditEventName, recordEvent, toCustomer } from '../../accounts/audit-events.ts';
import type { Origin, Session } from '../../accounts/sessions.ts';
import type { Cookies } from './cookies.ts';
import { type Format, getFormat, type Language } from './format.ts';
import { en, type Text } from './text/en.ts';
import { tr } from './text/tr.ts';
import { isZone } from './zones.ts';

const TEXTS: Record<Language, Text> = { en, tr };
/** The default time zone of each language; readers can choose another one. */
const USUAL_ZONE: Record<Language, string> = { en: 'UTC', tr: 'Europe/Istanbul' };

/** The language and formats of a page. */
export interface View {
  readonly language: Language;
  readonly zone: string;
  readonly text: Text;
  readonly format: Format;
}

/** A request with a session. */
export interface Visit extends View {
  /** The database through the fair queue, in the share of the account. */
  readonly db: Database;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly session: Session;
  readonly origin: Origin;
}

/** Appends what the customer did to the audit log, in the transaction of the change itself. */
export const recordAct = (
  tx: Queryable,
  { session, origin }: Pick<Visit, 'session' | 'origin'>,
  event: AuditEventName,
  now: number,
  details: AuditEvent['details'] = {},
) => recordEvent(tx, { account: session.account.id, event, actor: toCustomer(origin), details }, now);

export const getOrigin = (request: FastifyRequest): Origin => ({
  address: request.ip,
  agent: request.headers['user-agent'] ?? '',
});

/** The reader's choice, else what the browser prefers of the languages that there are. */
export function getView(request: FastifyRequest, cookies: Cookies): View {
  const chosen = cookies.get(request, 'language');
  const language = isLanguage(chosen) ? chosen : preferredLanguage(request.headers['accept-language'] ?? '');
  const zone = cookies.get(request, 'zone');
  return createView(language, zone !== null && isZone(zone) ? zone : USUAL_ZONE[language]);
}

export const createView = (language: Language, zone: string): View => ({
  language,
  zone,
  text: TEXTS[language],
  format: getFormat(language, zone),
});

export const isLanguage = (text: string | null): text is Language => text !== null && Object.hasOwn(TEXTS, text);

function preferredLanguage(header: string): Language {
  const ranked = header
    .split(',')
    .map((part, index) => {
      const [tag = '', ...more] = part.trim().toLowerCase().split(';');
      const quality = /^\s*q=([\d.]+)/.exec(more.join(';'))?.[1];
      return { language: tag.replace(/-.*$/, ''), quality: Number(quality ?? 1), index };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality || a.index - b.index);
  return ranked.map(({ language }) => language).find(isLanguage) ?? 'en';
}

type Values = Readonly<Record<string, string>>;

/** The form of a POST: its fields that are text. */
export const getForm = ({ body }: FastifyRequest): Values => (body ?? {}) as Values;

/** The query of a request, each field once. */
export function getQuery({ query }: FastifyRequest): Values {
  const entries = Object.entries(query as Record<string, unknown>);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** The page that a query asks for, 1 when it does not name one. */
export function getPage(request: FastifyRequest): number {
  const { page = '' } = getQuery(request);
  return /^[1-9]\d{0,6}$/.test(page) ? Number(page) : 1;
}

/** A path parameter, without what no database takes. */
export const getParam = ({ params }: FastifyRequest, name: string): string =>
  ((params as Values)[name] ?? '').replaceAll('\0', '');
