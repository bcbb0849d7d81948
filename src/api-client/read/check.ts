import type { CheckData, CheckResult, Verdict } from '../../submission/answer.ts';
import { asFlag, asText, fieldsOf, firstOf, isObject, type Json, Nonsense } from './fields.ts';
import { readList } from './list.ts';
import { moneyOf } from './money.ts';
import { verdictOf, type Words } from './words.ts';

const RESULTS = ['results', 'items', 'urls', 'checks', 'data', 'entries', 'records'];
const FLAGS = ['found', 'indexed', 'inindex', 'isindexed', 'isfound', 'present', 'listed'];
const WORDS = ['result', 'status', 'state', 'verdict', 'outcome', 'indexstatus'];

/** The results of an index-check (spec 4.8; shape not shown). A success that holds nothing proves nothing. */
export function readCheck(data: Json, envelope: Json, words: Words): CheckData | Nonsense {
  if (data === null || typeof data !== 'object') return new Nonsense('without data');
  const fields = fieldsOf(data);
  const inner = fieldsOf(
    firstOf(fields, ['check', 'indexcheck', 'summary'], (value) => (isObject(value) ? value : null)),
  );
  const both = new Map([...inner, ...fields]);
  const items = readList(data, envelope, RESULTS, { page: 1, limit: 50 })?.items ?? [];
  return {
    results: items.map((item) => readResult(item, words)),
    charged: moneyOf(both, [
      'charged',
      'charge',
      'chargedamount',
      'amountcharged',
      'cost',
      'totalcost',
      'totalprice',
      'amount',
    ]),
    balance: moneyOf(both, ['balance', 'balanceafter', 'newbalance', 'remainingbalance']),
  };
}

function readResult(item: Json, words: Words): CheckResult {
  const fields = fieldsOf(item);
  const url = firstOf(fields, ['url', 'link', 'uri', 'address', 'loc'], asText);
  const flag = firstOf(fields, FLAGS, asFlag);
  const word = firstOf(fields, [...WORDS, ...FLAGS], (value) =>
    typeof value === 'boolean' ? String(value) : asText(value),
  );
  return { url, verdict: flag === null ? verdictFrom(fields, words) : flag ? 'found' : 'not-found', word };
}

/** The first field whose word is known: a record's `status` may only say that the check was done. */
function verdictFrom(fields: ReadonlyMap<string, Json>, words: Words): Verdict {
  for (const name of [...FLAGS, ...WORDS]) {
    const value = fields.get(name);
    const verdict =
      value === undefined ? 'unknown' : verdictOf(typeof value === 'boolean' ? String(value) : asText(value), words);
    if (verdict !== 'unknown') return verdict;
  }
  return 'unknown';
}
