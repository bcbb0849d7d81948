import type { Report } from './breaches.ts';
import type { GuardPolicy } from './guard-rule.ts';

/** What a run was shown, counted so that a limit which holds here holds for certain. */
export interface ShownToRun {
  readonly run: string;
  readonly watch: string;
  /** Pages that it was shown. */
  readonly listed: number;
  /** Of them at most so many were new: nobody had bought them. */
  readonly newest: number;
  /** Of them at least so many were listed before, and bought: what moved here from another watch is not known to this one. */
  readonly known: number;
  /** At most so many had another lastmod before. */
  readonly changed: number;
  /** At most so many were listed before, and were not any more. */
  readonly gone: number;
}

/** Fewer changed pages never count in percent. */
const LEAST_CHANGED = 20;

type Guard = keyof GuardPolicy;
const GUARDS: Readonly<Record<string, Guard>> = {
  max_new: 'maxNew',
  max_new_percent: 'maxNewPercent',
  max_changed: 'maxChanged',
  max_changed_percent: 'maxChangedPercent',
  max_gone_percent: 'maxGonePercent',
};

/** Why a run was held is true: its guard may be beyond its limit, and money holds nothing where there is no limit of it. */
export function checkHold(
  shown: ShownToRun,
  codes: readonly string[],
  { policy, mayLackMoney }: { readonly policy: GuardPolicy; readonly mayLackMoney: boolean },
  report: Report,
): void {
  const { run, watch } = shown;
  for (const code of codes) {
    const guard = GUARDS[code];
    const isTrue = guard === undefined ? mayLackMoney : mayExceed(guard, shown, policy[guard]);
    if (!isTrue)
      report(`${run} was held for ${code}, and ${describe(shown)} was shown to it`, {
        watch,
        cause: `needless, ${code}`,
      });
  }
}

function mayExceed(guard: Guard, { known, newest, changed, gone }: ShownToRun, limit: number | null): boolean {
  if (limit === null) return false;
  switch (guard) {
    case 'maxNew':
      return newest > limit;
    case 'maxNewPercent':
      return 100 * newest > limit * known;
    case 'maxChanged':
      return changed > limit;
    case 'maxChangedPercent':
      return changed >= LEAST_CHANGED && 100 * changed > limit * known;
    case 'maxGonePercent':
      return 100 * gone > limit * (known + gone);
  }
}

const describe = ({ listed, newest, changed, gone }: ShownToRun): string =>
  `at most ${newest} new, ${changed} changed and ${gone} gone pages beside ${listed} listed ones`;
