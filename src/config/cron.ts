import { type Fault, write } from './fault.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names that count up from `min`. */
  readonly words?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, words: MONTHS },
  // 7 is Sunday too.
  { name: 'day of the week', min: 0, max: 7, words: DAYS },
];

/** Why Temporal would reject this cron line, and what was probably meant; null when it would accept it. */
export function findCronProblem(cron: string): Fault | null {
  const parts = cron.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) return describeCount(cron, parts);
  for (const [at, field] of FIELDS.entries()) {
    const part = parts[at] ?? '';
    if (!part.split(',').every((range) => isRange(range, field))) {
      return {
        says: `"${part}" of "${cron}" is not ${field.name === 'hour' ? 'an' : 'a'} ${field.name}: write ${field.min} to ${field.max}, *, ranges (1-5), lists (1,3) or steps (*/5)`,
      };
    }
  }
  return null;
}

/** The most days that each month has. */
const LENGTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * The message for a cron line that no day matches, such as the 31st of February; null when one does. Each date falls on every
 * day of the week in some year.
 */
export function findNeverProblem(cron: string): Fault | null {
  if (findCronProblem(cron) !== null) return null;
  const [, , days = '*', months = '*'] = cron.trim().split(/\s+/);
  const isIn = (part: string, at: number, number: number) =>
    part.split(',').some((range) => isInRange(range, FIELDS[at] as Field, number));
  const isAny = LENGTHS.some(
    (length, at) =>
      isIn(months, 3, at + 1) && Array.from({ length }, (_, day) => day + 1).some((day) => isIn(days, 2, day)),
  );
  if (isAny) return null;
  return {
    says: `"${cron}" never runs: no month that it names has such a day; leave the setting out if that is meant`,
  };
}

/** The message for a line that names hours and every minute of them: `* 4 * * *`, where once was meant. */
export function findEveryMinuteProblem(cron: string): Fault | null {
  const [minute, hour = '*', ...rest] = cron.trim().split(/\s+/);
  if (minute !== '*' || hour.startsWith('*') || findCronProblem(cron) !== null) return null;
  return {
    says: `"${cron}" runs every minute of hour ${hour}, 60 times`,
    proposals: [write([['0', hour, ...rest].join(' ')])],
  };
}

/** Whether a range, as `isRange` reads it, has a number. */
function isInRange(text: string, field: Field, number: number): boolean {
  const [range = '', step] = text.split('/');
  const [from = '', to] = range === '*' ? [String(field.min), String(field.max)] : range.split('-');
  const first = toNumber(from, field) ?? field.min;
  // A number with a step counts up to the end of the field.
  const last = to !== undefined ? (toNumber(to, field) ?? field.max) : step === undefined ? first : field.max;
  return number >= first && number <= last && (number - first) % Number(step ?? 1) === 0;
}

const WORDS: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

function describeCount(cron: string, parts: readonly string[]): Fault {
  const says = `"${cron}" does not have five fields: minute, hour, day of the month, month, day of the week`;
  const word = WORDS[cron.trim().toLowerCase()];
  if (word !== undefined) return { says, proposals: [write([word])] };
  // Some programs put seconds before the minutes.
  return { says, proposals: [write(parts.length === FIELDS.length + 1 ? [parts.slice(1).join(' ')] : [])] };
}

/** `*`, `5`, `1-5`, `*\/15`, `1-20/5`. */
function isRange(text: string, field: Field): boolean {
  const match = /^(?:\*|([a-z0-9]+)(?:-([a-z0-9]+))?)(?:\/(\d{1,3}))?$/i.exec(text);
  if (match === null) return false;
  const [, from, to, step] = match;
  if (step !== undefined && (Number(step) < 1 || Number(step) > field.max)) return false;
  if (from === undefined) return true;
  const first = toNumber(from, field);
  const last = to === undefined ? first : toNumber(to, field);
  return first !== null && last !== null && first <= last;
}

function toNumber(text: string, { min, max, words = [] }: Field): number | null {
  const word = words.indexOf(text.toLowerCase());
  if (word >= 0) return word + min;
  const number = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return number >= min && number <= max ? number : null;
}
