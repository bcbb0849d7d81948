import { ACCOUNTS_AND_KEYS } from './accounts-and-keys.ts';
import { ANSWER_TABLE } from './answer-table.ts';
import { BEFORE_SENDING } from './before-sending.ts';
import { BOUGHT_BEFORE } from './bought-before.ts';
import { CAPS_AND_BALANCE } from './caps-and-balance.ts';
import { CHANGED_PAGES } from './changed-pages.ts';
import { ENDED_JOBS } from './ended-jobs.ts';
import { GOES_ON_BY_ITSELF } from './goes-on-by-itself.ts';
import { LARGE_PLANS } from './large-plans.ts';
import { LOOKUPS } from './lookups.ts';
import { MONEY_FINDINGS } from './money-findings.ts';
import type { Mutation } from './mutation.ts';
import { PLANS_AND_GENERATIONS } from './plans-and-generations.ts';
import { RECORDED_ANSWERS } from './recorded-answers.ts';
import { UNSEEN } from './unseen.ts';

/** Dropped conditions, swapped orders, forgotten steps in the code that spends money. */
export const MUTATIONS: readonly Mutation[] = [
  ...BEFORE_SENDING,
  ...RECORDED_ANSWERS,
  ...LOOKUPS,
  ...PLANS_AND_GENERATIONS,
  ...LARGE_PLANS,
  ...CAPS_AND_BALANCE,
  ...ENDED_JOBS,
  ...ANSWER_TABLE,
  ...BOUGHT_BEFORE,
  ...CHANGED_PAGES,
  ...GOES_ON_BY_ITSELF,
  ...MONEY_FINDINGS,
  ...ACCOUNTS_AND_KEYS,
  ...UNSEEN,
];
