import type { CapRefusal } from '../../submission/caps.ts';
import { DAY_MS, getDayStart } from '../journal/days.ts';

/** When to try a refused spend again; null when only an operator or a higher balance can change the result. */
export function getRefusalEnd({ reason }: CapRefusal, now: number): number | null {
  if (reason.code !== 'cap_reached') return null;
  switch (reason.period) {
    case 'run':
      return null;
    case 'day':
      return getDayStart(now) + DAY_MS;
    case 'month': {
      const date = new Date(now);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
    }
  }
}
