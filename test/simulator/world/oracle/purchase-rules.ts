import type { Kernel } from '../../platform/kernel.ts';
import { POISON, type Site } from '../site.ts';
import { BaselineRule } from './baseline-rule.ts';
import type { Report } from './breaches.ts';
import { type CheckPolicy, CheckRule } from './check-rule.ts';
import type { Purchase } from './facts.ts';
import { type GuardPolicy, GuardRule } from './guard-rule.ts';
import { LevelRule } from './level-rule.ts';
import { ListedRule } from './listed-rule.ts';
import type { Listings } from './listings.ts';
import { PurchaseRule, type RetryRule } from './purchase-rule.ts';
import { SaidRule } from './said-rule.ts';
import type { ServiceData } from './service-data.ts';

/** What the configuration of a world says about purchases. */
export interface PolicySettings {
  readonly retry: RetryRule;
  readonly notWithinMs?: number;
  /** A page is bought again when it changes; absent: it is. */
  readonly buysChanges?: boolean;
  /** And once more after so many index-checks that did not find it; null or absent: never. */
  readonly resubmitAfter?: number | null;
  readonly checks: CheckPolicy;
  readonly guard: GuardPolicy;
  /** The first run of a watch adopts what is there. */
  readonly hasBaseline?: boolean;
  /** Whether the ledger has this run, and it could read every sitemap. */
  readonly isComplete: (run: string) => boolean;
}

interface PurchaseRulesSettings extends PolicySettings {
  readonly kernel: Kernel;
  readonly site: Site;
  readonly listings: Listings;
  readonly serviceData: ServiceData;
  readonly toReport: (rule: string) => Report;
  /** The service never shows which URLs failed. */
  readonly hidesFailures: () => boolean;
}

/** So long ago must crawls have seen that a page is gone. */
const GONE_MS = 3_600_000;

/** The rules that look at what was bought. */
export interface PurchaseRules {
  readonly versions: PurchaseRule;
  readonly checks: CheckRule;
  readonly said: SaidRule;
  readonly guards: GuardRule;
  readonly baseline: BaselineRule | null;
  readonly levels: LevelRule;
  readonly purchased: (purchase: Purchase) => void;
}

export function createPurchaseRules(settings: PurchaseRulesSettings): PurchaseRules {
  const { kernel, site, listings, serviceData, toReport, retry, notWithinMs = 0, guard, isComplete } = settings;
  const getLatestTime = () => kernel.getLatestTime(0);
  const versions = new PurchaseRule({
    ...{ report: toReport('each version once'), listings, retry, notWithinMs, getLatestTime },
    getTimeSince: (time) => kernel.getTimeSince(time, 'service'),
    ...{ buysChanges: settings.buysChanges ?? true, resubmitAfter: settings.resubmitAfter ?? null },
    countNotFound: (url) => serviceData.countNotFound(url),
    readFailure: (reference, url) =>
      settings.hidesFailures() && !serviceData.isFailedJob(reference) ? null : serviceData.readFailure(reference, url),
    readCreated: (reference) => serviceData.readCreated(reference),
    isShared: (url) => site.listSitemaps(url).length > 1,
  });
  const checks = new CheckRule({
    ...{ report: toReport('index-checks'), policy: settings.checks, getLatestTime },
    listCompletions: (url) => serviceData.listCompletions(url),
    countCompleted: () => serviceData.countCompleted(),
    wasFound: (url, check) => serviceData.wasFound(url, check),
    isLongGone: (url) => listings.isGoneSince(url, kernel.elapsed - GONE_MS),
  });
  const guards = new GuardRule({
    ...{ report: toReport('guards'), listings, policy: guard, isComplete },
    hasBought: (url, version) => versions.hasBought(url, version),
    hasFailed: (url) => url.includes(POISON) || versions.hasFailed(url),
  });
  const said = new SaidRule(toReport('said before'));
  const levels = new LevelRule(toReport('level'), listings);
  const listed = new ListedRule(toReport('listed'), listings);
  const baseline =
    settings.hasBaseline === true ? new BaselineRule(toReport('baseline'), listings, versions.hasFailed) : null;
  return {
    ...{ versions, checks, said, guards, baseline, levels },
    purchased: (purchase) => {
      // Guards compare with what was bought before.
      guards.purchased(purchase);
      for (const rule of [baseline, versions, listed, levels, said]) rule?.purchased(purchase);
    },
  };
}
