import type { ApiClient } from '../../api-client/client.ts';
import { ApiError } from '../../api-client/errors.ts';
import { InvalidPayload, type Json } from '../../api-client/read/fields.ts';
import { type AnswerFormat, createAnswerFormat } from '../../api-client/read/format.ts';
import type { SubmissionView } from '../../api-client/read/submission.ts';
import type { Account, Config } from '../../config/config.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import type { ApiAnswer, HeaderBudget } from '../../submission/answer.ts';
import type { AnswerFieldKey, FieldNames } from '../../submission/answer-fields.ts';
import type { Reference } from '../../submission/ids.ts';
import { type Service, withService } from '../service-client.ts';
import type { Learned, Proposal } from './learned.ts';
import { type Candidates, findCandidates } from './propose-names.ts';
import { hasData, type Received, type RequestName, readJobs } from './read-values.ts';

/** What the service answered, and the names that its values need. */
export interface Asked {
  readonly received: readonly Received[];
  readonly failures: Learned['failures'];
  readonly proposals: readonly Proposal[];
  /** The account's names with those that are proposed. */
  readonly fieldNames: FieldNames;
  readonly budgets: readonly HeaderBudget[];
}

/** A job that was bought for this, and what its purchase was answered; null: that was lost, or another process has it. */
export interface Bought {
  readonly reference: Reference;
  readonly answer: string | null;
}

/** One job of each state, so that their words are seen; of a reference, as many places are tried. */
const MOST_JOBS = 5;
/** Without these nothing can be bought, or nothing can be found again. */
const NEEDED: ReadonlySet<AnswerFieldKey> = new Set(['balance', 'jobs', 'reference']);

/**
 * Makes the free requests. A proposed name counts at once, so what it uncovers is asked for as well: a list, then the reference in
 * it, then the job.
 */
export async function askService(
  config: Config,
  ledger: Ledger,
  account: Account,
  signal: AbortSignal,
  bought: Bought | null = null,
): Promise<Asked> {
  const asked = {
    received: toReceived(bought),
    failures: [] as { request: RequestName; error: ApiError }[],
    proposals: [] as Proposal[],
    fieldNames: account.fieldNames,
    budgets: [] as readonly HeaderBudget[],
  };
  let text = '';

  async function askAll({ request }: Service): Promise<void> {
    async function ask(
      name: RequestName,
      get: (client: ApiClient) => Promise<ApiAnswer<unknown>>,
      reference?: Reference,
    ): Promise<Received | null> {
      text = '';
      try {
        await request(async (client) => {
          const answer = await get(client);
          if (answer.budgets.length > 0) asked.budgets = answer.budgets;
          return answer;
        });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        // A success in a shape that cannot be read is what this is for.
        if (error.status !== 200 || !hasData(parse(text))) {
          asked.failures.push({ request: name, error });
          return null;
        }
      }
      const received = { request: name, answer: parse(text), ...(reference === undefined ? {} : { reference }) };
      asked.received.push(received);
      await nameFields(received);
      return received;
    }

    /** Names what a response lacks, one field after another. What stays a question may be decided by a later response. */
    async function nameFields(received: Received): Promise<void> {
      const tried = new Set<AnswerFieldKey>();
      for (;;) {
        const next = listCandidates(received).find(({ field }) => !tried.has(field));
        if (next === undefined) return;
        const { field } = next;
        tried.add(field);
        const values = await keepSure(received, next);
        const [only, ...others] = values;
        const decided = only !== undefined && others.length === 0 && next.isUnsure !== true;
        if (decided) asked.fieldNames = addName(field, only);
        if (only === undefined && !NEEDED.has(field)) continue;
        const count = only === undefined ? 'no field' : others.length === 0 ? 'one field' : 'several fields';
        const why = `${received.request} has ${count} that can be it`;
        const setting = `field_names.${field}`;
        asked.proposals = [
          ...asked.proposals.filter((each) => each.setting !== setting),
          { setting, values, why, decided },
        ];
      }
    }

    /** Of several lists, the one whose entries have references; a reference is what the service has a job for. */
    async function keepSure(received: Received, { field, names }: Candidates): Promise<readonly string[]> {
      if (field === 'reference') return keepReferences(received, names);
      if (field !== 'jobs' || names.length < 2) return names;
      const sure: string[] = [];
      for (const name of names.slice(0, MOST_JOBS)) {
        const fieldNames = addName('jobs', name);
        const inside = listCandidates(received, fieldNames).find((each) => each.field === 'reference');
        if (inside !== undefined && (await keepReferences(received, inside.names, fieldNames)).length > 0)
          sure.push(name);
      }
      return sure.length === 0 ? names : sure;
    }

    async function keepReferences(
      { answer }: Received,
      names: readonly string[],
      base?: FieldNames,
    ): Promise<string[]> {
      const sure: string[] = [];
      for (const name of names.slice(0, MOST_JOBS)) {
        const read = readJobs(answer, toFormat(addName('reference', name, base)));
        const reference = read instanceof InvalidPayload ? undefined : read.submissions[0]?.reference;
        if (reference !== undefined && (await isJob(reference))) sure.push(name);
      }
      return sure;
    }

    async function isJob(reference: Reference): Promise<boolean> {
      try {
        await request((client) => client.getSubmission(reference));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return error.status === 200;
      }
      return true;
    }

    await ask('GET /balance', (client) => client.balance());
    if (asked.failures.some(({ error }) => error.status === 401)) return;
    await ask('GET /me', (client) => client.me());
    const list = await ask('GET /submissions', (client) => client.listSubmissions());
    const listed = list === null ? [] : listOfEachState(list.answer, toFormat()).map(({ reference }) => reference);
    for (const reference of new Set([...(bought === null ? [] : [bought.reference]), ...listed]))
      await ask('GET /submissions/{reference}', (client) => client.getSubmission(reference), reference);
  }

  const addName = (field: AnswerFieldKey, name: string, base: FieldNames = asked.fieldNames): FieldNames => ({
    ...base,
    [field]: [name, ...(base[field] ?? [])],
  });
  const toFormat = (fieldNames = asked.fieldNames): AnswerFormat => createAnswerFormat({ ...account, fieldNames });
  const listCandidates = (received: Received, base?: FieldNames): Candidates[] =>
    findCandidates(received, toFormat(base), (field, name) => toFormat(addName(field, name, base)));

  await withService({ config, ledger }, account, signal, askAll, (exchange) => {
    text = exchange.kind === 'answered' ? exchange.text : '';
  });
  return asked;
}

const toReceived = (bought: Bought | null): Received[] =>
  bought === null || bought.answer === null ? [] : [{ request: 'POST /submissions', answer: parse(bought.answer) }];

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

function listOfEachState(answer: Json, format: AnswerFormat): readonly SubmissionView[] {
  const read = readJobs(answer, format);
  if (read instanceof InvalidPayload) return [];
  const byState = new Map<string | null, SubmissionView>();
  for (const job of read.submissions) if (!byState.has(job.state)) byState.set(job.state, job);
  return [...byState.values()].slice(0, MOST_JOBS);
}
