import type { Watch } from './config.ts';
import { example, type Fault, guess, write } from './fault.ts';
import { findNearest } from './suggest.ts';

/** Whether it is an IANA time zone that this machine knows. An offset such as +03:00 is none: Temporal knows no such zone. */
export function isTimeZone(name: string): boolean {
  if (/^[+-]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Why it is not a time zone, and what was probably meant; null when it is one. */
export function findTimeZoneProblem(name: string): Fault | null {
  if (isTimeZone(name)) return null;
  const [, sign, hours] = /^(?:UTC|GMT)? ?([+-])0?(\d{1,2})(?::?00)?$/i.exec(name) ?? [];
  // The names of Etc count from the other side: UTC+3 is Etc/GMT-3.
  const offset = hours === undefined ? [] : [`Etc/GMT${sign === '+' ? '-' : '+'}${hours}`];
  const zones = Intl.supportedValuesOf('timeZone');
  const city = zones.find((zone) => zone.toLowerCase().endsWith(`/${name.toLowerCase()}`));
  const near = hours === undefined ? (city ?? findNearest(name, zones)) : null;
  return {
    says: `"${name}" is not a time zone`,
    proposals: [write(offset), guess(near), example(['Europe/Istanbul'])],
  };
}

/** The zone in which the times of a watch are shown: that of its schedule, else UTC. */
export const getTimeZone = (watch: Pick<Watch, 'schedule'> | undefined): string => watch?.schedule?.timezone ?? 'UTC';
