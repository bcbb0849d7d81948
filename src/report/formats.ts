import { MICROS_PER_TRY, type Micros } from '../../contract/money.ts';
import { CATALOGUES, fillIn, type Language, type MessageKey } from './messages.ts';

const LOCALE: Readonly<Record<Language, string>> = { en: 'en-GB', tr: 'tr-TR' };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Texts, numbers, times and money of a language. */
export interface Formats {
  readonly language: Language;
  readonly say: (key: MessageKey, values?: Readonly<Record<string, string>>) => string;
  readonly count: (value: number) => string;
  readonly percent: (share: number) => string;
  readonly money: (amount: Micros | number) => string;
  /** A day, to be read; and short, for an axis. */
  readonly day: (at: number) => string;
  readonly shortDay: (at: number) => string;
  /** To the minute, in UTC. */
  readonly instant: (at: number) => string;
  readonly duration: (ms: number) => string;
  readonly axisNumber: (value: number) => string;
}

export function createFormats(language: Language): Formats {
  const locale = LOCALE[language];
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const one = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const finePercent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const money = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 6 });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const instant = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  const say: Formats['say'] = (key, values = {}) => fillIn(CATALOGUES[language][key], values);
  const unit = (key: MessageKey, value: number) => say(key, { count: one.format(value) });
  return {
    language,
    say,
    count: (value) => number.format(value),
    // Neither 0% nor 100% may stand for what is not quite that.
    percent: (share) => {
      if (share > 0 && share < 0.01) return finePercent.format(Math.max(0.001, share));
      return share > 0.99 && share < 1 ? finePercent.format(Math.floor(share * 1_000) / 1_000) : percent.format(share);
    },
    money: (amount) => `${money.format(amount / MICROS_PER_TRY)} TRY`,
    day: (at) => day.format(at),
    shortDay: (at) => shortDay.format(at),
    instant: (at) => `${instant.format(at)} UTC`,
    duration: (ms) => {
      if (ms < HOUR) return unit('unit_minutes', Math.round(ms / MINUTE));
      return ms < 2 * DAY ? unit('unit_hours', ms / HOUR) : unit('unit_days', ms / DAY);
    },
    axisNumber: (value) => (Math.abs(value) < 10_000 ? one.format(value) : compact.format(value)),
  };
}
