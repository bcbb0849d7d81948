import { decimalTry, MICROS_PER_TRY, type Micros, micros } from '../../../contract/money.ts';
import { type Html, html } from './html.ts';

export const LANGUAGES = { en: 'English', tr: 'Türkçe' } as const;
export type Language = keyof typeof LANGUAGES;

/** How numbers, amounts and times are written for one reader. */
export interface Format {
  count(value: number): string;
  /** "1,234.50 TRY", with at least `decimals` decimals, so that a column can be aligned. */
  money(amount: Micros, decimals?: number): string;
  time(value: number | string | null): Html;
  /** "November 2026" of a month such as 2026-11. */
  month(month: string): string;
  /** "21 Nov" of a day such as 2026-11-21. */
  day(day: string): string;
  /** "21 Nov 2026" of a day such as 2026-11-21. */
  date(day: string): string;
}

const SEPARATORS = { en: [',', '.'], tr: ['.', ','] } as const;
/** British day order, which reads alike everywhere in English. */
const LOCALES = { en: 'en-GB', tr: 'tr-TR' } as const;

const formats = new Map<string, Format>();

/** A format is made once for each language and zone: Intl's formatters are costly to make. */
export function getFormat(language: Language, zone: string): Format {
  const name = `${language} ${zone}`;
  let format = formats.get(name);
  if (format === undefined) {
    format = createFormat(language, zone);
    formats.set(name, format);
  }
  return format;
}

function createFormat(language: Language, zone: string): Format {
  const locale = LOCALES[language];
  const [group, point] = SEPARATORS[language];
  const grouped = (digits: string) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, group);
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: zone });
  const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  return {
    count: (value) => `${value < 0 ? '−' : ''}${grouped(String(Math.abs(value)))}`,
    money(amount, decimals = 2) {
      const [whole = '', part = ''] = decimalTry(Math.abs(amount) as Micros).split('.');
      return `${amount < 0 ? '−' : ''}${grouped(whole)}${point}${part.padEnd(decimals, '0')} TRY`;
    },
    time(value) {
      if (value === null) return html`–`;
      const at = new Date(value);
      return html`<time datetime="${at.toISOString()}">${moment.format(at)}</time>`;
    },
    month: (text) => month.format(new Date(`${text}-01T00:00:00Z`)),
    date: (text) => date.format(new Date(`${text}T00:00:00Z`)),
    day: (text) => day.format(new Date(`${text}T00:00:00Z`)),
  };
}

/** Decimals that every amount of a column needs, so that the points stand below each other. */
export const columnDecimals = (amounts: readonly Micros[]): number =>
  amounts.reduce((most, amount) => Math.max(most, decimalTry(amount).replace(/^.*\./, '').length), 2);

/** The API shows amounts as numbers of lira; exact, because each has at most six decimals. */
export const toMicros = (lira: number): Micros => micros(Math.round(lira * MICROS_PER_TRY));
