import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScheduleDescription, ScheduleOptions } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { isSameSchedule, keepCronLine } from './is-same-schedule.ts';

const [watch, account] = [defineSearchAttributeKey('Watch', 'KEYWORD'), defineSearchAttributeKey('Account', 'KEYWORD')];

const wanted: ScheduleOptions = {
  scheduleId: 'watch/shop',
  spec: { cronExpressions: [keepCronLine('30 4 * * *')], timezone: 'UTC' },
  action: {
    type: 'startWorkflow',
    workflowType: 'watchSitemap',
    workflowId: 'watch/shop/scheduled',
    taskQueue: 'courier',
    args: [{ watch: 'shop' }],
    typedSearchAttributes: [
      { key: watch, value: 'shop' },
      { key: account, value: 'main' },
    ],
  },
  policies: { overlap: 'SKIP', catchupWindow: 1_000 },
};

type Described = Pick<ScheduleDescription, 'spec' | 'action' | 'policies'>;

/** As the server describes it: the cron line as a comment, attributes in its own order, defaults filled in. */
const described: Described = {
  spec: { calendars: [{ comment: '30 4 * * *' }], intervals: [], timezone: 'UTC' } as unknown as Described['spec'],
  action: {
    type: 'startWorkflow',
    workflowType: 'watchSitemap',
    workflowId: 'watch/shop/scheduled',
    taskQueue: 'courier',
    args: [{ watch: 'shop' }],
    typedSearchAttributes: new TypedSearchAttributes([
      { key: account, value: 'main' },
      { key: watch, value: 'shop' },
    ]),
    searchAttributes: { Watch: ['shop'] },
    // As the client answers it, against its own type.
    priority: { priorityKey: undefined } as object,
  },
  policies: { overlap: 'SKIP', catchupWindow: 1_000, pauseOnFailure: false },
};

const withSpec = (spec: object): Described => ({ ...described, spec: { ...described.spec, ...spec } });
const withAction = (action: object): Described => ({ ...described, action: { ...described.action, ...action } });

const OTHERS: Readonly<Record<string, Described>> = {
  'another cron line': withSpec({ calendars: [{ comment: '45 5 * * *' }] }),
  'calendars without the line': withSpec({ calendars: [{}] }),
  'a second calendar': withSpec({ calendars: [{ comment: '30 4 * * *' }, {}] }),
  'an interval': withSpec({ intervals: [{ every: 60_000, offset: 0 }] }),
  'another zone': withSpec({ timezone: 'Europe/Istanbul' }),
  'a jitter': withSpec({ jitter: 60_000 }),
  'another watch': withAction({ args: [{ watch: 'blog' }] }),
  'another queue': withAction({ taskQueue: 'other' }),
  'an option that is not wanted': withAction({ workflowRunTimeout: '1 hour' }),
  'another attribute': withAction({ typedSearchAttributes: [{ key: watch, value: 'blog' }] }),
  'another overlap policy': { ...described, policies: { ...described.policies, overlap: 'ALLOW_ALL' } },
  'another catchup window': { ...described, policies: { ...described.policies, catchupWindow: 2_000 } },
};

describe('a schedule on the server', () => {
  test('is the same with its defaults filled in and its attributes in another order', () => {
    assert.equal(isSameSchedule(described, wanted), true);
  });

  for (const [name, other] of Object.entries(OTHERS))
    test(`is another with ${name}`, () => assert.equal(isSameSchedule(other, wanted), false));
});
