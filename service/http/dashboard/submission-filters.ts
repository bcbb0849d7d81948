import { LIMITS } from '../../../contract/limits.ts';
import type { ListQuery } from '../../../contract/requests.ts';
import { SUBMISSION_STATES, type SubmissionState } from '../../../contract/states.ts';
import { isDate } from '../validator.ts';

/** The filters of GET /submissions (spec 4.5), read from a form: an invalid one is named and ignored. */
export interface Filters {
  readonly query: Pick<ListQuery, 'status' | 'url' | 'q' | 'from' | 'to'>;
  readonly invalid: readonly FilterName[];
  /** What was typed, for the form and for links to other pages. */
  readonly typed: Readonly<Record<FilterName, string>>;
}

const NAMES = ['q', 'status', 'url', 'from', 'to'] as const;
export type FilterName = (typeof NAMES)[number];

const RULES: Record<FilterName, (value: string) => boolean> = {
  q: (value) => value.length <= LIMITS.queryLength,
  status: (value) => SUBMISSION_STATES.includes(value as SubmissionState),
  url: (value) => /^https?:\/\/\S+$/i.test(value) && value.length <= LIMITS.urlLength && URL.canParse(value),
  from: isDate,
  to: isDate,
};

export function readFilters(form: Readonly<Record<string, string>>): Filters {
  const typed = Object.fromEntries(
    NAMES.map((name) => [name, (form[name] ?? '').replaceAll('\0', '').trim()]),
  ) as Record<FilterName, string>;
  const given = NAMES.filter((name) => typed[name] !== '');
  const valid = given.filter((name) => RULES[name](typed[name]));
  return {
    query: Object.fromEntries(valid.map((name) => [name, typed[name]])),
    invalid: given.filter((name) => !valid.includes(name)),
    // A field for days takes nothing else: what is not a day is not shown again.
    typed: { ...typed, from: isDate(typed.from) ? typed.from : '', to: isDate(typed.to) ? typed.to : '' },
  };
}

/** The filters as a query, for links. */
export function toQuery({ typed }: Filters): string {
  return new URLSearchParams(Object.entries(typed).filter(([, value]) => value !== '')).toString();
}
