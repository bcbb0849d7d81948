import { required } from '../../required.ts';
/** Time zones that a reader can choose, UTC first. */
export const ZONES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
const KNOWN = new Set(ZONES);

export const isZone = (zone: string): boolean => KNOWN.has(zone);

/** How far local time is ahead of UTC at a moment, in milliseconds. */
export function zoneOffset(zone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(at);
  const get = (type: string) =>
    Number(
      required(
        parts.find((part) => part.type === type),
        type,
      ).value,
    );
  const local = Date.UTC(get('year'), get('month') - 1, get('day'), get('hour'), get('minute'), get('second'));
  return local - Math.floor(at / 1_000) * 1_000;
}

/** The moment at which a local day begins; `month` is from 1 and may be 13. */
export function startOfDay(zone: string, year: number, month: number, day = 1): number {
  const guess = Date.UTC(year, month - 1, day);
  const first = guess - zoneOffset(zone, guess);
  // The offset may change between the guess and the moment itself.
  return guess - zoneOffset(zone, first);
}

/** The local month of a moment, such as 2026-11. */
export const toMonth = (zone: string, at: number): string =>
  new Date(at + zoneOffset(zone, at)).toISOString().slice(0, 7);

/** The local day of a moment, such as 2026-11-21. */
export const toDay = (zone: string, at: number): string =>
  new Date(at + zoneOffset(zone, at)).toISOString().slice(0, 10);

/** The stretch of a local month. */
export function monthRange(zone: string, month: string): { readonly from: number; readonly to: number } {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return { from: startOfDay(zone, year, number), to: startOfDay(zone, year, number + 1) };
}

/** As toMonth, for many moments that are mostly in one month: the borders of that month are kept. */
export function toMonthOf(zone: string): (at: number) => string {
  let [from, to, month] = [0, 0, ''];
  return (at) => {
    if (at < from || at >= to) {
      month = toMonth(zone, at);
      ({ from, to } = monthRange(zone, month));
    }
    return month;
  };
}
