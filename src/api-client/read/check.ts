import type { CheckData, CheckResult } from '../../submission/answer.ts';
import type { StatusMapping } from '../../submission/status-map.ts';
import { asFlag, asText, asWord, InvalidPayload, indexFields, isObject, type Json, readFirst } from './fields.ts';
import { readList } from './list.ts';
import { readMoney } from './money.ts';

const RESULTS = ['results', 'items', 'urls', 'checks', 'data', 'entries', 'records'];
const FLAGS = ['found', 'indexed', 'inindex', 'isindexed', 'isfound', 'present', 'listed'];
const WORDS = ['result', 'status', 'state', 'verdict', 'outcome', 'indexstatus'];

/** The results of an index-check (spec 4.8; shape not shown). A success that holds nothing proves nothing. */
export function readCheck(data: Json, envelope: Json, words: StatusMapping): CheckData | InvalidPayload {
  if (data === null || typeof data !== 'object') return new InvalidPayload('without data');
  const fields = indexFields(data);
  const inner = indexFields(
    readFirst(fields, ['check', 'indexcheck', 'summary'], (value) => (isObject(value) ? value : null)),
  );
  const both = new Map([...inner, ...fields]);
  const items = readList(data, envelope, RESULTS, { page: 1, limit: 50 })?.items ?? [];
  return {
    results: items.map((item) => readResult(item, words)),
    charged: readMoney(both, [
      'charged',
      'charge',
      'chargedamount',
      'amountcharged',
      'cost',
      'totalcost',
      'totalprice',
      'amount',
    ]),
    balance: readMoney(both, ['balance', 'balanceafter', 'newbalance', 'remainingbalance']),
  };
}

function readResult(item: Json, words: StatusMapping): CheckResult {
  const fields = indexFields(item);
  const url = readFirst(fields, ['url', 'link', 'uri', 'address', 'loc'], asText);
  const flag = readFirst(fields, FLAGS, asFlag);
  const said = listStatuses(fields);
  const verdict = flag === null ? words.check(said) : flag ? 'found' : 'not-found';
  return { url, verdict, word: said[0] ?? null };
}

/** What a record says in any field that may hold the verdict: its `status` may only say that the check was done. */
function listStatuses(fields: ReadonlyMap<string, Json>): string[] {
  return [...WORDS, ...FLAGS].flatMap((name) => {
    const value = fields.get(name) ?? null;
    return (typeof value === 'boolean' ? String(value) : asWord(value)) ?? [];
  });
}
