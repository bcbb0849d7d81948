import type { Watch } from './config.ts';
import { didYouMean } from './suggest.ts';

/** Whether it is an IANA time zone that this machine knows. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Why it is not a time zone, and what to write; null when it is one. */
export function findTimeZoneProblem(name: string): string | null {
  if (isTimeZone(name)) return null;
  const instead = didYouMean(name, Intl.supportedValuesOf('timeZone'));
  return `"${name}" is not a time zone${instead === '' ? '; write one such as Europe/Istanbul' : instead}`;
}

/** The zone in which the times of a watch are shown: that of its schedule, else UTC. */
export const getTimeZone = (watch: Pick<Watch, 'schedule'> | undefined): string => watch?.schedule?.timezone ?? 'UTC';
