import { isDeepStrictEqual } from 'node:util';
import type { ScheduleDescription, ScheduleOptions } from '@temporalio/client';
import type { Priority } from '@temporalio/common';

/**
 * The server answers a cron line as calendars. The line itself stays in their comment, which the Web UI shows as well; an
 * edit there replaces both.
 */
export const keepCronLine = (cron: string): string => `${cron} # ${cron}`;

const toComment = (cronLine: string): string => cronLine.slice(cronLine.indexOf('#') + 1).trim();

/**
 * Whether the server's schedule has the wanted times, action and policies. Its pause is not compared. When in doubt it is
 * another: then an update makes it the wanted one.
 */
export function isSameSchedule(
  { spec, action, policies }: Pick<ScheduleDescription, 'spec' | 'action' | 'policies'>,
  wanted: ScheduleOptions,
): boolean {
  const { cronExpressions = [], timezone, jitter = 0 } = wanted.spec;
  return (
    isDeepStrictEqual(
      [spec.calendars?.map(({ comment }) => comment), spec.intervals ?? [], spec.timezone, spec.jitter ?? 0],
      [cronExpressions.map(toComment), [], timezone, jitter],
    ) &&
    isDeepStrictEqual(
      [policies.overlap, policies.catchupWindow, policies.pauseOnFailure],
      [wanted.policies?.overlap, wanted.policies?.catchupWindow, wanted.policies?.pauseOnFailure ?? false],
    ) &&
    isDeepStrictEqual(toPlain(action), toPlain(wanted.action))
  );
}

/** The types of the SDK know the priority of a described schedule alone, though it sends the other one too. */
type Action = (ScheduleDescription['action'] | ScheduleOptions['action']) & { readonly priority?: Priority };

/** Without what is not set (the server answers empty objects for it), and with attributes by name: the server knows them in another order. */
function toPlain({ typedSearchAttributes, searchAttributes: _, priority, ...rest }: Action): Record<string, unknown> {
  const pairs = Array.isArray(typedSearchAttributes) ? typedSearchAttributes : (typedSearchAttributes?.getAll() ?? []);
  const attributes = Object.fromEntries(pairs.map(({ key, value }) => [key.name, value]));
  // As JSON, as it was sent: without what is undefined.
  const sent = JSON.parse(JSON.stringify(rest)) as Record<string, unknown>;
  const set = Object.entries(sent).filter(([, value]) => value !== null && !isDeepStrictEqual(value, {}));
  return { ...Object.fromEntries(set), attributes, priority: priority?.priorityKey ?? null };
}
