/*
 * The times of a cron line in a time zone, as Temporal's schedules see them: all fields must match, and a local time that
 * daylight saving skips is left out. An hour that it repeats is searched twice west of Greenwich; in the east a time of it is
 * found once, half of them in neither copy. The conformance suite compares them with a server.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type Match = (value: number) => boolean;

export interface Calendar {
  readonly second: Match;
  readonly minute: Match;
  readonly hour: Match;
  readonly day: Match;
  readonly month: Match;
  readonly weekday: Match;
}

/** Five fields, or seven with seconds before and years after, of which the years must be `*`. */
export function parseCron(cron: string): Calendar {
  // What follows # is a comment.
  const [line = ''] = cron.split('#');
  const parts = line.trim().split(/\s+/);
  const [second, minute, hour, day, month, weekday, year = '*'] = parts.length === 5 ? ['0', ...parts] : parts;
  if (weekday === undefined || year !== '*') throw new TypeError(`the stand-in does not read the cron line "${cron}"`);
  const isWeekday = parseField(weekday, 7);
  return {
    second: parseField(second!, 59),
    minute: parseField(minute!, 59),
    hour: parseField(hour!, 23),
    day: parseField(day!, 31),
    month: parseField(month!, 12),
    // 7 is Sunday too.
    weekday: (value) => isWeekday(value) || (value === 0 && isWeekday(7)),
  };
}

function parseField(text: string, max: number): Match {
  const ranges = text.split(',').map((range) => {
    const [, from, to, step = '1'] = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(range) ?? [];
    if (from === undefined && !range.startsWith('*')) throw new TypeError(`the stand-in does not read "${range}"`);
    const first = Number(from ?? 0);
    const last = from === undefined || (to === undefined && range.includes('/')) ? max : Number(to ?? from);
    return (value: number) => value >= first && value <= last && (value - first) % Number(step) === 0;
  });
  return (value) => ranges.some((matches) => matches(value));
}

/** How far local time is ahead of UTC at an instant, and back. */
export interface Zone {
  getOffset(utc: number): number;
}

const zones = new Map<string, Zone>();

export function getZone(name: string): Zone {
  const known = zones.get(name) ?? openZone(name);
  zones.set(name, known);
  return known;
}

function openZone(name: string): Zone {
  if (name === 'UTC') return { getOffset: () => 0 };
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: name, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  const compute = (utc: number): number => {
    const parts = Object.fromEntries(format.formatToParts(utc).map(({ type, value }) => [type, Number(value)]));
    const { year, month, day, hour, minute, second } = parts as Record<string, number>;
    return Date.UTC(year!, month! - 1, day, hour, minute, second) - Math.floor(utc / SECOND) * SECOND;
  };
  /** Of each day in UTC; null: it changes on that day. */
  const days = new Map<number, number | null>();
  return {
    getOffset(utc) {
      const day = Math.floor(utc / DAY);
      let known = days.get(day);
      if (known === undefined) {
        const [first, last] = [compute(day * DAY), compute((day + 1) * DAY)];
        known = first === last ? first : null;
        days.set(day, known);
      }
      return known ?? compute(utc);
    },
  };
}

/**
 * The instant of a local time. Of a time that occurs twice, the one whose offset holds at this time in UTC, as Go's
 * time.Date decides: the second in zones east of Greenwich, the first in those west of it.
 */
function toInstant({ getOffset }: Zone, local: number): number {
  const utc = local - getOffset(local);
  return local - getOffset(utc);
}

/** More steps mean that no time matches within years. */
const MOST_STEPS = 20_000;

/** The first time after an instant; null when there is none for years. Epoch milliseconds. */
export function findNext(calendar: Calendar, zone: Zone, after: number): number | null {
  const startOf = (time: number, unit: number) => Math.floor(time / unit) * unit;
  const toLocal = (utc: number) => utc + zone.getOffset(utc);
  let local = startOf(toLocal(after), SECOND);
  /** What the second copy of a repeated hour is later by; 0 outside of it. */
  let repeated = startOf(toLocal(after - HOUR), HOUR) === startOf(local, HOUR) ? HOUR : 0;

  /** Towards the next second, minute or hour; an hour that two hours follow is searched once more. */
  function advance(unit: number): void {
    const hour = startOf(local, HOUR);
    local = startOf(local, unit) + unit;
    if (startOf(local, HOUR) === hour) return;
    const isRepeated = repeated === 0 && toInstant(zone, hour + HOUR) - toInstant(zone, hour) > HOUR;
    repeated = isRepeated ? HOUR : 0;
    if (isRepeated) local = hour;
  }
  function leap(to: number): void {
    local = to;
    repeated = 0;
  }

  advance(SECOND);
  for (let step = 0; step < MOST_STEPS; step++) {
    const at = new Date(local);
    if (!calendar.month(at.getUTCMonth() + 1)) leap(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1));
    else if (!calendar.day(at.getUTCDate()) || !calendar.weekday(at.getUTCDay())) leap(startOf(local, DAY) + DAY);
    else if (!calendar.hour(at.getUTCHours())) leap(startOf(local, HOUR) + HOUR);
    else if (!calendar.minute(at.getUTCMinutes())) advance(MINUTE);
    else if (!calendar.second(at.getUTCSeconds())) advance(SECOND);
    else {
      const instant = toInstant(zone, local);
      // A time that does not exist becomes one of another hour.
      if (toLocal(instant) !== local) local = startOf(local, HOUR) + HOUR;
      else if (instant + repeated <= after) advance(SECOND);
      else return instant + repeated;
    }
  }
  return null;
}
