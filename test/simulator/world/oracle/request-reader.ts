import type { ServiceLevel } from '../../../../contract/states.ts';
import type { Kernel } from '../../platform/kernel.ts';
import type { NetRequest } from '../../platform/network.ts';
import { SERVICE_NAMES } from '../account-names.ts';
import { getAccount, type OperatorSettings } from '../configuration.ts';
import type { Report } from './breaches.ts';
import { type Caps, NO_CAPS, toDay } from './caps-rule.ts';
import type { Label } from './facts.ts';
import { FairRule, type Ready } from './fair-rule.ts';
import { KeyRule } from './key-rule.ts';
import { SenderRule } from './sender-rule.ts';
import { type Moment, Sends } from './sends.ts';
import type { WatchNames } from './watch-names.ts';

/** A project of the configuration names the sitemap of its watch; the connector adds a tag. */
export const readSitemap = (project: string): string => /^Project (\w+)/.exec(project)?.[1] ?? '';

/** What the ledger calls what leaves. */
export interface LedgerNames {
  /**
   * Whether the ledger has recorded an attempt of this key before the one that leaves now: its worker may have died, or found
   * no connection, before the request left.
   */
  readonly wasTried: (key: string) => boolean;
  readonly findLabel: (key: string) => Label;
  /** Batches of the same account and level that nothing has held for a while. */
  readonly listReady: (key: string) => readonly Ready[];
  /** The watch and level of the batch with this tag, by which it is looked up; null: the ledger has none. */
  readonly findTurn: (tag: string) => { readonly watch: string; readonly service: string } | null;
  /** The name of the watch of an index-check. */
  readonly findCheckWatch: (key: string) => string | null;
}

export interface RequestReaderSettings extends LedgerNames {
  readonly kernel: Kernel;
  readonly toReport: (rule: string) => Report;
  readonly names: WatchNames;
  /** That of the last delivery. */
  readonly getOrder: () => number;
}

export type Configured = Pick<OperatorSettings, 'caps' | 'floor' | 'secondAccount'>;

/** A request leaves within this of the decision, which names the day: a clock may jump between. */
const DECIDED_MS = 1_000;

/** The limit of a run counts as a cap of each run, where that is not lower. */
const withLimit = (caps: Caps, limit: number | undefined): Caps =>
  limit === undefined ? caps : { ...caps, watchPerRun: Math.min(limit, caps.watchPerRun ?? limit) };

/** What a lookup in the list asks for. */
const readTag = (path: string): string | undefined => /[?&]q=(sc\w+)/.exec(path)?.[1];

interface BatchBody {
  readonly urls: string[];
  readonly project: string;
  readonly service: ServiceLevel;
}

const readBatch = (body: string): BatchBody => ({ project: '', ...(JSON.parse(body) as Omit<BatchBody, 'project'>) });

const getKey = ({ headers }: NetRequest): string => headers['idempotency-key'] ?? '';

/** Notes the requests that leave the connector, under the configuration of that moment. */
export class RequestReader {
  readonly sends = new Sends();
  configured: Configured = { caps: NO_CAPS, floor: 0, secondAccount: null };
  readonly #settings: RequestReaderSettings;
  readonly #keyRule: KeyRule;
  readonly #senderRule: SenderRule;
  readonly #fairRule: FairRule;
  /** `--max-cost` of runs that have it. */
  readonly #limits = new Map<string, number>();

  constructor(settings: RequestReaderSettings) {
    this.#settings = settings;
    this.#keyRule = new KeyRule(settings.toReport('one body, one account'));
    this.#senderRule = new SenderRule(settings.toReport('sender'));
    this.#fairRule = new FairRule(settings.toReport('fair order'));
  }

  /** A run may spend so much at most. */
  limitRun(run: string, maxCost: number): void {
    this.#limits.set(run, maxCost);
  }

  /** The account of the watch of a sitemap now, as the service calls it. */
  toAccount(sitemap: string): string {
    return SERVICE_NAMES[getAccount(this.configured, sitemap)];
  }

  /** The watch of a sitemap belongs to another account, or buys at another level. */
  changeLane(sitemap: string): void {
    this.#fairRule.moved(this.#settings.names.toName(sitemap));
  }

  /** With the key of this account. `isRefused`: a gateway answers that surely nothing was charged. */
  sent(request: NetRequest, account: string, isRefused: boolean): void {
    const { method, path, body } = request;
    const key = getKey(request);
    const tag = method === 'GET' ? readTag(path) : undefined;
    if (tag !== undefined) this.#lookedUp(tag, account);
    if (method !== 'POST' || key === '') return;
    const text = body.toString('utf8');
    this.#keyRule.sent(key, account, text);
    const { kernel, getOrder, names, findCheckWatch } = this.#settings;
    const { caps, floor } = this.configured;
    const decidedDay = toDay(kernel.getEarliestTime(DECIDED_MS));
    const today = { elapsed: kernel.elapsed, day: toDay(kernel.getClock()), decidedDay };
    const moment: Moment = { ...today, caps, floor, order: getOrder(), isRefused };
    if (path.endsWith('/submissions')) this.#sentBatch(key, text, account, moment);
    else if (path.endsWith('/index-check')) {
      const watch = findCheckWatch(key);
      this.sends.checkLeft(key, { account, watch: watch === null ? null : names.toSpender(watch) }, moment);
    }
  }

  /** With the key of this account. Nobody listened, so nothing was sent; the watch has had its turn all the same. */
  foundNobody(request: NetRequest, account: string): void {
    const { method, path, body } = request;
    const tag = method === 'GET' ? readTag(path) : undefined;
    if (tag !== undefined) this.#lookedUp(tag, account);
    if (method !== 'POST' || !path.endsWith('/submissions') || getKey(request) === '') return;
    const { project, service } = readBatch(body.toString('utf8'));
    this.#fairRule.hadTurn(`${account} ${service}`, this.#settings.names.toName(readSitemap(project)));
  }

  #lookedUp(tag: string, account: string): void {
    const turn = this.#settings.findTurn(tag);
    if (turn !== null) this.#fairRule.hadTurn(`${account} ${turn.service}`, turn.watch);
  }

  #sentBatch(key: string, body: string, account: string, moment: Moment): void {
    const { names, wasTried, findLabel, listReady } = this.#settings;
    const known = this.sends.findBatch(key);
    const { urls, project, service } = readBatch(body);
    const sitemap = readSitemap(project);
    this.#senderRule.sent({
      ...{ key, account, isRepeat: known !== undefined },
      owner: names.hasSitemap(sitemap) ? this.toAccount(sitemap) : null,
      // An attempt whose worker died before it read the answer is in doubt.
      mayBeCharged: known?.mayBeCharged ?? wasTried(key),
    });
    const watch = names.toName(sitemap);
    const ready = listReady(key).filter((each) => names.has(each.watch));
    this.#fairRule.sent({ lane: `${account} ${service}`, key, watch, urls: urls.length, ready });
    const label = findLabel(key);
    const caps = withLimit(moment.caps, this.#limits.get(label.run ?? ''));
    this.sends.batchLeft({ key, body, urls, level: service, account, watch, sitemap, label }, { ...moment, caps });
  }

  /** The worker that sent a request has read, and has had the time to write down, that nothing was charged for it. */
  refused(request: NetRequest): void {
    this.sends.refused(getKey(request));
  }

  /** The worker that sent a request has read, and has had the time to write down, what it was charged. */
  answered(request: NetRequest): void {
    const { kernel } = this.#settings;
    this.sends.answered(getKey(request), { elapsed: kernel.elapsed, day: toDay(kernel.getClock()) });
  }
}
