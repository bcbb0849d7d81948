// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of other files
import { PLANS } from './folders.ts';
import type { Mutation } from './mutation.ts';
import { FORGETS_RUN_LIMIT, SENDS_BEYOND_CAPS } from './second-layers.ts';

/** Plans of several batches. */
export const LARGE_PLANS: readonly Mutation[] = [
  {
    name: 'plans the next batch without its caps',
    file: `${PLANS}/plan-next.ts`,
    from: 'const bought = due.slice(0, urls);',
    to: 'const bought = [...due];',
    also: [SENDS_BEYOND_CAPS],
    needs: ['caps fall between two batches'],
  },
  {
    name: 'plans beyond the limit of a run',
    file: `${PLANS}/allowance.ts`,
    from: 'perRun: lowerCap(watch.spend.perRun, maxCost),',
    to: 'perRun: lowerCap(watch.spend.perRun, null),',
    also: [FORGETS_RUN_LIMIT],
    needs: ['run with a limit dies, then a rise'],
  },
  {
    name: 'forgets the limit of a run until its plan has ended',
    file: `${PLANS}/read-plan.ts`,
    from: 'addCounts(before.due, due))}, max_cost = ${maxCost}',
    to: 'addCounts(before.due, due))}, max_cost = NULL',
    needs: ['run with a limit dies, then a rise'],
  },
  {
    name: 'forgets the batches before when two share a transaction',
    file: `${PLANS}/make-plan.ts`,
    from: 'next = await planNext(tx, now(), await getRun(tx, run.name), input, next);',
    to: 'next = await planNext(tx, now(), run, input, next);',
    needs: ['plan dies again and again'],
  },
  {
    name: 'ends a plan with its progress before the last batch',
    file: `${PLANS}/plan-next.ts`,
    from: 'const planned = await getRun(tx, run.name);',
    to: 'const planned = run;',
    needs: ['plan dies again and again'],
  },
  {
    name: 'ends a plan with its first batch',
    file: `${PLANS}/plan-next.ts`,
    from: 'isLast = page.length < DUE_PAGE && decided.length === page.length;',
    to: 'isLast = page.length < DUE_PAGE;',
    needs: ['plan dies again and again'],
  },
  {
    name: 'takes a plan that was interrupted for made',
    file: `${PLANS}/make-plan.ts`,
    from: "{ readonly capped: number }> => {\n    if (run.planned_at !== null) return 'planned';",
    to: "{ readonly capped: number }> => {\n    if (run.planned_at !== null || run.planned_batches !== null) return 'planned';",
    needs: ['plan dies again and again'],
  },
  {
    name: 'buys under a cap what was found last',
    file: `${PLANS}/make-plan.ts`,
    from: 'sort(([a], [b]) => a - b)',
    to: 'sort(([a], [b]) => b - a)',
    needs: ['held, then more found'],
  },
];
