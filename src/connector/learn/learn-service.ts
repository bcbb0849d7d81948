import { formatTry, type Micros, micros } from '../../../contract/money.ts';
import { InvalidPayload } from '../../api-client/read/fields.ts';
import { type AnswerFormat, createAnswerFormat } from '../../api-client/read/format.ts';
import type { SubmissionDetail } from '../../api-client/read/submission.ts';
import type { Account, Config } from '../../config/config.ts';
import { sumCountedSince } from '../../ledger/journal/sums.ts';
import { findBalance } from '../../ledger/money/balance.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { readHeaderUsage } from '../../rate-limit/external-usage.ts';
import { toRateLimits } from '../../rate-limit/limits.ts';
import type { HeaderBudget } from '../../submission/answer.ts';
import { DEFAULT_TERMINAL_STATES } from '../../submission/states.ts';
import { createStatusMapping, normalizeStatus, type UnknownStatus } from '../../submission/status-map.ts';
import { askService, type Bought } from './ask-service.ts';
import { findSources } from './find-sources.ts';
import type { Learned, Proposal, Reading } from './learned.ts';
import { formatPath, type Leaf, listLeaves } from './leaves.ts';
import { type ExpectedAmount, proposeAmounts } from './propose-amounts.ts';
import { listAmountTexts } from './propose-names.ts';
import { proposeJobWord, proposeUrlWords } from './propose-words.ts';
import { getData, type Received, readJob, readValues } from './read-values.ts';

const LONGEST_SHOWN = 60;

/**
 * Asks a service what can be asked for nothing, and says what was read from where, and which settings would help with what
 * could not be read. It changes nothing, the ledger included.
 */
export async function learnService(
  config: Config,
  ledger: Ledger,
  account: Account,
  signal: AbortSignal,
  bought: Bought | null = null,
): Promise<Learned> {
  const asked = await askService(config, ledger, account, signal, bought);
  const { received, proposals, fieldNames, budgets, failures } = asked;
  const format = createAnswerFormat({ ...account, fieldNames });
  const amounts = account.amounts === null ? await learnAmounts(ledger, account, received, format) : [];
  return {
    readings: received.flatMap((each) => listReadings(each, format)),
    proposals: [...proposals, ...listWords(account, received, format), ...amounts, ...listLimits(account, budgets)],
    failures,
  };
}

/** Every value with the fields that it comes from, then the fields that say nothing to the connector. */
function listReadings(received: Received, format: AnswerFormat): Reading[] {
  const { request, answer } = received;
  const values = readValues(received, format);
  const sources = findSources(answer, (changed) => readValues({ ...received, answer: changed }, format));
  const used = new Set([...sources.values()].flat().map(({ path }) => formatPath(path)));
  const read = Object.entries(values).map(([value, shown]): Reading => {
    const from = sources.get(value) ?? [];
    const list = findList(sources, value);
    if (list !== null) return { request, value, path: list, shown: null, read: shown };
    return {
      ...{ request, value, read: shown },
      path: from.length === 0 ? null : from.map(({ path }) => formatPath(path)).join(', '),
      shown: from.length === 0 ? null : from.map((leaf) => shorten(leaf.value)).join(', '),
    };
  });
  const unused = listLeaves(getData(answer))
    .map(({ path, value }) => ({ path: ['data', ...path], value }))
    .filter(({ path }) => !path.some((part) => typeof part === 'number' && part > 0) && !used.has(formatPath(path)))
    .map(({ path, value }) => ({ request, value: null, path: formatPath(path), shown: shorten(value), read: null }));
  return [...read, ...unused];
}

/** Where the list is of which a value is a count: around its first entry. */
function findList(sources: ReadonlyMap<string, readonly Leaf[]>, value: string): string | null {
  const inside = value === 'jobs' ? 'reference' : value === 'urls' ? 'url' : null;
  const path = inside === null ? [] : (sources.get(inside)?.[0]?.path ?? []);
  const entry = path.findIndex((part) => typeof part === 'number');
  return entry < 0 ? null : formatPath(path.slice(0, entry));
}

const shorten = (value: boolean | number | string): string => {
  const text = String(value).replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
};

/** The words that the status map lacks, with what the jobs themselves say of them. */
function listWords(
  { statusMap }: Account,
  received: readonly Received[],
  { names, money, statuses }: AnswerFormat,
): Proposal[] {
  const unknown: UnknownStatus[] = [];
  const format = { names, money, statuses: createStatusMapping(statusMap, (status) => unknown.push(status)) };
  const details = received.flatMap((each): SubmissionDetail[] => {
    readValues(each, format);
    const read = each.reference === undefined ? null : readJob(each.answer, format, each.reference);
    return read === null || read instanceof InvalidPayload ? [] : [read];
  });
  return unknown.flatMap(({ kind, statusName }): Proposal[] => {
    if (kind === 'check') return [];
    const isIt = (word: string | null) => word !== null && normalizeStatus(word) === normalizeStatus(statusName);
    const said = details.flatMap((detail): (string | null)[] =>
      kind === 'job'
        ? isIt(detail.submission.state)
          ? [proposeJobWord(detail, statuses)]
          : []
        : proposeUrlWords(detail, statuses).flatMap(({ word, meaning }) => (isIt(word) ? [meaning] : [])),
    );
    const [meaning, ...others] = new Set(said.filter((each) => each !== null));
    if (meaning !== undefined && others.length === 0) {
      const why = `the counts or the state of a job allow "${statusName}" no other meaning`;
      return [{ setting: `status_map.${kind}.${meaning}`, values: [statusName], why, decided: true }];
    }
    const choices =
      kind === 'url' ? ['completed', 'failed', 'open'] : ['queued', 'processing', ...DEFAULT_TERMINAL_STATES];
    const why = `no job shows whether it is ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
    return [{ setting: `status_map.${kind}`, values: [statusName], why, decided: false }];
  });
}

/** What the ledger expects of amounts that can be read in two ways, and what the other amounts of the service look like. */
async function learnAmounts(
  ledger: Ledger,
  account: Account,
  received: readonly Received[],
  format: AnswerFormat,
): Promise<Proposal[]> {
  const texts = received.flatMap(({ answer }) => listAmountTexts(answer, format));
  const balance = received.find(({ request }) => request === 'GET /balance');
  const expected =
    balance === undefined ? [] : await expectBalance(ledger, account, listAmountTexts(balance.answer, format));
  const found = proposeAmounts(texts, expected);
  if (found === null) return [];
  const { format: amounts, why } = found;
  return [
    {
      setting: 'amounts',
      values: amounts === null ? ['decimal_point', 'decimal_comma'] : [amounts],
      why,
      decided: amounts !== null,
    },
  ];
}

/** The balance that the ledger last saw, less what was charged since: a difference that only one reading of a text has. */
async function expectBalance(ledger: Ledger, { id }: Account, texts: readonly string[]): Promise<ExpectedAmount[]> {
  const last = await findBalance(ledger.db, id);
  if (last === null) return [];
  const { counted } = await sumCountedSince(ledger.db, id, last.at);
  const expected: Micros = micros(last.amount - counted);
  const from = `the last balance of the ledger, less what was charged since (${formatTry(expected)}),`;
  return texts.map((text) => ({ text, expected, from }));
}

function listLimits({ limits }: Account, budgets: readonly HeaderBudget[]): Proposal[] {
  const ours = toRateLimits(limits, limits.minuteMs);
  return readHeaderUsage(budgets, ours).flatMap(({ window, limit }): Proposal[] => {
    if (limit === null || limit >= ours[window].limit) return [];
    const setting = window === 'submissions' ? 'limits.submissions.minute' : `limits.requests.${window}`;
    return [{ setting, values: [limit], why: `its headers allow ${limit}`, decided: true }];
  });
}
