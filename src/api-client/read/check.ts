import { LIMITS } from '../../../contract/limits.ts';
import type { CheckData, CheckResult } from '../../submission/answer.ts';
import {
  asFlag,
  asText,
  asWord,
  getField,
  InvalidPayload,
  indexFields,
  isObject,
  type Json,
  readFirst,
} from './fields.ts';
import type { AnswerFormat } from './format.ts';
import { listVerdicts, readList } from './list.ts';
import { indexInside } from './money.ts';

/** The results of an index-check (spec 4.8; shape not shown). An empty success proves nothing. */
export function readCheck(data: Json, envelope: Json, format: AnswerFormat): CheckData | InvalidPayload {
  if (data === null || typeof data !== 'object') return new InvalidPayload('without data');
  const { names, money } = format;
  const outer = indexFields(data);
  const places = [data, ...names.check.map((name) => getField(outer, name) ?? null).filter(isObject)];
  const fields = places.map((place) => indexInside(outer, place));
  return {
    results: findResults(places, envelope, format),
    charged: money.readIn(fields, names.charge),
    balance: money.readIn(fields, names.balance),
  };
}

/** Picks the list with the most verdicts: a list of the requested URLs may stand beside the results. */
function findResults(places: readonly Json[], envelope: Json, format: AnswerFormat): CheckResult[] {
  const requested = { page: 1, limit: LIMITS.indexCheckUrls };
  const lists = places.map((place) => {
    const grouped = listVerdicts(place, (name) => format.statuses.check([name]) !== null);
    const items = grouped.length > 0 ? grouped : (readList(place, envelope, 'results', requested, format)?.items ?? []);
    return items.map((item) => readResult(item, format));
  });
  return lists.reduce((best, each) => (countReadable(each) > countReadable(best) ? each : best), lists[0] ?? []);
}

const countReadable = (results: readonly CheckResult[]): number => results.filter(({ readable }) => readable).length;

function readResult(item: Json, { names, statuses }: AnswerFormat): CheckResult {
  const fields = indexFields(item);
  const url = readFirst(fields, names.url, asText);
  const flag = readFirst(fields, names.found, asFlag);
  // `status` may only say that the check is done, so every field that may hold the verdict is read.
  const shown = [...names.verdict, ...names.found].flatMap((name) => {
    const value = getField(fields, name) ?? null;
    return (typeof value === 'boolean' ? String(value) : asWord(value)) ?? [];
  });
  const verdict = flag === null ? statuses.check(shown) : flag ? 'found' : 'not-found';
  return { url, verdict: verdict ?? 'unknown', statusName: shown[0] ?? null, readable: verdict !== null };
}
