/** An instant for people: to the minute, in UTC. */
export const formatInstant = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The day of it in UTC, as the specification writes one: 2026-01-31. */
export const formatDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** One for each zone: making one costs more than using it a hundred times. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** An instant for people, to the minute, in the zone of a watch: "2026-01-31 04:30 Europe/Istanbul". */
export function formatInstantIn(zone: string, at: number): string {
  if (zone === 'UTC') return formatInstant(at);
  return `${format(zone, false, at)} ${zone}`;
}

/** The same to the second: "2026-01-31 04:30:15 Europe/Istanbul". */
export function formatSecondIn(zone: string, at: number): string {
  if (zone === 'UTC') return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  return `${format(zone, true, at)} ${zone}`;
}

function format(zone: string, seconds: boolean, at: number): string {
  const key = `${zone} ${seconds}`;
  const known = formats.get(key);
  const used =
    known ??
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: seconds ? 'medium' : 'short' });
  if (known === undefined) formats.set(key, used);
  return used.format(at);
}
