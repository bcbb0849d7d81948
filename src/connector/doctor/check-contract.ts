import { LIMITS } from '../../../contract/limits.ts';
import type { Account, Config } from '../../config/config.ts';
import { formatCount, formatCounted } from '../../submission/count.ts';
import { findSkew } from '../watch-clock.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const TIMEOUT_MS = 15_000;

/** Compares the contract that the service publishes with what the connector relies on, and its clock with this one. */
export async function checkContract(account: Account, config: Config, signal: AbortSignal): Promise<Finding[]> {
  const about = { check: 'contract', subject: account.id } as const;
  const address = `${account.baseUrl}/openapi.json`;
  const asked = Date.now();
  let response: Response;
  let document: unknown;
  try {
    response = await fetch(address, { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
    document = response.ok ? await response.json().catch(() => null) : null;
  } catch (error) {
    signal.throwIfAborted();
    const { cause, message } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    return [fail(about, `${address} does not respond (${why})`, 'check base_url and the network', { transient: true })];
  }
  const clock = checkClock(account.id, response.headers.get('date'), asked, Date.now());
  if (document === null) {
    const message = `${address} is not published (status ${response.status}), so endpoints and limits cannot be compared`;
    return [...clock, warn(about, message, 'nothing, if the service is known to work')];
  }
  const hasChecks = [...config.watches.values()].some(
    ({ account: id, indexCheck }) => id === account.id && indexCheck !== null,
  );
  return [...clock, compareContract(account.id, document as Contract, hasChecks)];
}

function checkClock(subject: string, date: string | null, asked: number, answered: number): Finding[] {
  const skew = findSkew(date, (asked + answered) / 2);
  if (skew === null) return [];
  const about = { check: 'clock', subject } as const;
  if (!skew.isWrong) return [ok(about, `within ${Math.max(1, skew.seconds)} s of the service's`)];
  return [warn(about, skew.sentence, 'synchronize the clock (NTP): caps by day and waits depend on it')];
}

interface Contract {
  readonly info?: { readonly version?: string };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: unknown;
}

interface Operation {
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
}

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, { readonly maxItems?: number; readonly default?: unknown }>>;
}

const ENDPOINTS = ['post /submissions', 'get /submissions', 'get /submissions/{}', 'get /balance'] as const;

/** What the contract says otherwise. Pure. */
export function compareContract(subject: string, contract: Contract, hasChecks: boolean): Finding {
  const about = { check: 'contract', subject } as const;
  const operations = new Map(
    Object.entries(contract.paths ?? {}).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => [`${method} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`, operation] as const,
      ),
    ),
  );
  const needed = hasChecks ? [...ENDPOINTS, 'post /index-check'] : ENDPOINTS;
  const missing = needed.filter((endpoint) => ![...operations.keys()].some((each) => isEndpoint(each, endpoint)));
  if (missing.length > 0) {
    const message = `the contract of the service lacks ${missing.join(', ')}`;
    return fail(about, message, 'check base_url: it must be the address of this API, with its version');
  }
  const submit = findSchema(contract, operations, 'post /submissions');
  const most = submit?.properties?.urls?.maxItems;
  if (most !== undefined && most < LIMITS.submissionUrls) {
    const message = `the service takes ${formatCounted(most, 'URL')} a submission, and batches have up to ${formatCount(LIMITS.submissionUrls)}`;
    return warn(about, message, 'nothing: a batch that is too large is refused without a charge and split');
  }
  const level = submit?.properties?.service?.default;
  const version = contract.info?.version === undefined ? '' : ` ${contract.info.version}`;
  const byDefault =
    typeof level === 'string' ? `; its default service is ${level}, and each submission names its own` : '';
  return ok(about, `version${version} has every endpoint and limit that is relied on${byDefault}`);
}

/** Paths may or may not have the prefix of the API. */
function isEndpoint(operation: string, endpoint: string): boolean {
  const [method = '', path = ''] = endpoint.split(' ');
  return operation.startsWith(`${method} `) && operation.endsWith(path) && !operation.endsWith(`{}${path}`);
}

function findSchema(contract: Contract, operations: ReadonlyMap<string, Operation>, endpoint: string): Schema | null {
  const [, operation] = [...operations].find(([each]) => isEndpoint(each, endpoint)) ?? [];
  const schema = Object.values(operation?.requestBody?.content ?? {})[0]?.schema ?? null;
  if (schema?.$ref === undefined) return schema;
  const path = schema.$ref.replace(/^#\//, '').split('/');
  return path.reduce<unknown>(
    (node, key) => (node as Record<string, unknown> | undefined)?.[key],
    contract,
  ) as Schema | null;
}
