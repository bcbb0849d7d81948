import { REPORT_LANGUAGES } from '../config/schema/report.ts';
import { EN, type MessageKey, type Messages } from './messages.en.ts';
import { TR } from './messages.tr.ts';

export const LANGUAGES = REPORT_LANGUAGES;
export type Language = (typeof LANGUAGES)[number];

export type { MessageKey, Messages };

export const CATALOGUES: Readonly<Record<Language, Messages>> = { en: EN, tr: TR };

/** A message with its places filled in: `{urls}` by `values.urls`. Plain text: the page escapes it. */
export function fillIn(message: string, values: Readonly<Record<string, string>>): string {
  return message.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `{${name}}`);
}
