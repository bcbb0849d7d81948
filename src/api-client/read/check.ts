import { LIMITS } from '../../../contract/limits.ts';
import type { CheckData, CheckResult } from '../../submission/answer.ts';
import type { StatusMapping } from '../../submission/status-map.ts';
import { asFlag, asText, asWord, InvalidPayload, indexFields, isObject, type Json, readFirst } from './fields.ts';
import { readList } from './list.ts';
import { indexInside, readMoneyIn } from './money.ts';

const RESULTS = ['results', 'items', 'urls', 'checks', 'data', 'entries', 'records'];
const FLAGS = ['found', 'indexed', 'inindex', 'isindexed', 'isfound', 'present', 'listed'];
const STATUSES = ['result', 'status', 'state', 'verdict', 'outcome', 'indexstatus'];

/** Objects that may hold the results of an index-check, besides the payload itself. */
const INSIDE = ['check', 'indexcheck', 'summary', 'result', 'data', 'batch', 'job', 'report'];
const CHARGED = [
  'charged',
  'charge',
  'chargedamount',
  'amountcharged',
  'totalcharged',
  'totalcharge',
  'cost',
  'totalcost',
  'totalprice',
  'amount',
];

/** The results of an index-check (spec 4.8; shape not shown). An empty success proves nothing. */
export function readCheck(data: Json, envelope: Json, statuses: StatusMapping): CheckData | InvalidPayload {
  if (data === null || typeof data !== 'object') return new InvalidPayload('without data');
  const places = [data, ...listInside(data)];
  const fields = places.map((place) => indexInside(indexFields(data), place));
  return {
    results: findResults(places, envelope, statuses),
    charged: readMoneyIn(fields, CHARGED),
    balance: readMoneyIn(fields, ['balance', 'balanceafter', 'newbalance', 'remainingbalance', 'balanceremaining']),
  };
}

function listInside(data: Json): Json[] {
  const fields = indexFields(data);
  return INSIDE.flatMap((name) => {
    const value = fields.get(name);
    return isObject(value) ? [value] : [];
  });
}

/** Picks the list with the most verdicts: a list of the requested URLs may stand beside the results. */
function findResults(places: readonly Json[], envelope: Json, statuses: StatusMapping): CheckResult[] {
  const lists = places.map((place) => {
    const items = readList(place, envelope, RESULTS, { page: 1, limit: LIMITS.indexCheckUrls })?.items ?? [];
    return items.map((item) => readResult(item, statuses));
  });
  return lists.reduce((best, each) => (countReadable(each) > countReadable(best) ? each : best), lists[0] ?? []);
}

const countReadable = (results: readonly CheckResult[]): number => results.filter(({ readable }) => readable).length;

function readResult(item: Json, statuses: StatusMapping): CheckResult {
  const fields = indexFields(item);
  const url = readFirst(fields, ['url', 'link', 'uri', 'address', 'loc'], asText);
  const flag = readFirst(fields, FLAGS, asFlag);
  const shown = listStatuses(fields);
  const verdict = flag === null ? statuses.check(shown) : flag ? 'found' : 'not-found';
  return { url, verdict: verdict ?? 'unknown', statusName: shown[0] ?? null, readable: verdict !== null };
}

/** Reads every field that may hold the verdict: `status` may only say that the check is done. */
function listStatuses(fields: ReadonlyMap<string, Json>): string[] {
  return [...STATUSES, ...FLAGS].flatMap((name) => {
    const value = fields.get(name) ?? null;
    return (typeof value === 'boolean' ? String(value) : asWord(value)) ?? [];
  });
}
