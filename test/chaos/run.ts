/**
 * Plays chaos scenarios: npm run test:chaos -- [--scenarios N] [--seed S] [--only SEED,SEED | --kept] [--at-once K].
 * --operations plays scenarios in which an operator acts (restores a ledger, changes prices, caps and watches) in place of
 * those with kills; --acts "rename watch,move pages" chooses from these acts alone.
 * --two-folders plays two of them at once, with the same names in one Temporal namespace.
 * Exit code 1 when a schedule broke a promise; each failing seed is printed with the command that plays it alone.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { newFolder } from './folder.ts';
import { keptScenarios } from './kept-seeds.ts';
import { startKillableTemporal } from './killable-temporal.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import { prepareQuickStart } from './quick-start.ts';
import { runInTwoFolders, runOperations, toOperationScenario } from './run-operations.ts';
import { runScenario, type ScenarioReport } from './run-scenario.ts';
import { type Scenario, toScenario } from './scenario.ts';

const { values } = parseArgs({
  options: {
    scenarios: { type: 'string', default: '25' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    kept: { type: 'boolean', default: false },
    'at-once': { type: 'string', default: '6' },
    operations: { type: 'boolean', default: false },
    acts: { type: 'string' },
    'two-folders': { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});
const plans = wantedPlans();

function wantedPlans(): Scenario[] {
  if (values.only !== undefined) return values.only.split(',').map((seed) => toScenario(Number(seed)));
  if (values.kept) return keptScenarios();
  return Array.from({ length: Number(values.scenarios) }, (_, n) => toScenario(Number(values.seed) + n));
}

const folder = newFolder();
const [temporal] = await Promise.all([startKillableTemporal(folder), prepareQuickStart(folder)]);
const began = performance.now();
const failed: number[] = [];
const sums = { urls: 0, bought: 0, acts: 0 };
const observed = new Map<string, number>();

const add = (counts: Map<string, number>, name: string, times = 1) => counts.set(name, (counts.get(name) ?? 0) + times);
const listed = (counts: ReadonlyMap<string, number>) =>
  [...counts].map(([name, times]) => `${name} ${times}`).join(', ') || 'none';

function printReport(report: ScenarioReport, { workers }: Scenario): void {
  const { seed, ms, totals, timings, acts, approved, faults, breaches } = report;
  const { urls, bought, jobs, checks, ends } = totals;
  const hits = acts.filter(({ hit }) => hit);
  sums.urls += urls;
  sums.bought += bought;
  sums.acts += hits.length;
  for (const [name, times] of faults) add(observed, name, times);
  for (const { action } of hits) add(observed, action);
  if (workers > 1) add(observed, 'two workers');
  if (approved > 0) add(observed, 'held and approved', approved);
  const verdict = breaches.length === 0 ? 'ok  ' : 'FAIL';
  console.log(
    `${verdict} seed ${seed} in ${(ms / 1_000).toFixed(1)} s: ${urls} URLs, bought ${bought} in ${jobs} jobs, ` +
      `${checks} checks; ${hits.map(({ action }) => action).join(', ') || 'nothing killed'}; faults: ${listed(faults)}`,
  );
  if (breaches.length > 0 || values.verbose) {
    for (const { text } of acts) console.log(`       ${text}`);
    console.log(`       milliseconds: ${listed(timings)}`);
    console.log(`       ends: ${listed(ends)}`);
  }
  if (breaches.length === 0) {
    rmSync(join(folder, String(seed)), { recursive: true, force: true });
    return;
  }
  failed.push(seed);
  for (const breach of breaches.slice(0, 12)) console.log(`     - ${breach}`);
  if (breaches.length > 12) console.log(`     - and ${breaches.length - 12} more`);
  console.log(`     its files: ${join(folder, String(seed))}`);
  console.log(`     again: npm run test:chaos -- ${again(seed)}`);
}

const again = (seed: number): string => {
  const acts = values.acts === undefined ? '' : ` --acts "${values.acts}"`;
  return values.kept
    ? '--kept'
    : `${values.operations ? `--operations${acts}${values['two-folders'] ? ' --two-folders' : ''} ` : ''}--only ${seed}`;
};

function play(plan: Scenario): Promise<ScenarioReport> {
  if (!values.operations) return runScenario(plan, temporal, folder);
  if (values['two-folders']) return runInTwoFolders(plan.seed, chosenActs(), temporal, folder);
  return runOperations(toOperationScenario(plan.seed, chosenActs()), temporal, folder);
}

function chosenActs(): readonly Operation[] {
  const names = values.acts?.split(',').map((name) => name.trim());
  const chosen = OPERATIONS.filter((operation) => names === undefined || names.includes(operation));
  if (chosen.length > 0 && (names === undefined || chosen.length === names.length)) return chosen;
  throw new Error(`--acts "${values.acts}" names no act. There are: ${OPERATIONS.join(', ')}.`);
}

async function lane(): Promise<void> {
  for (let plan = plans.shift(); plan !== undefined; plan = plans.shift()) {
    try {
      printReport(await play(plan), plan);
    } catch (error) {
      failed.push(plan.seed);
      console.log(`FAIL seed ${plan.seed}: the harness could not continue: ${(error as Error).stack}`);
    }
  }
}

// Ends through the exit hooks, which end every program that was started.
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.on(signal, () => process.exit(code));
const count = plans.length;
await Promise.all(Array.from({ length: Math.min(Number(values['at-once']), count) }, lane));
await temporal.stop();
const { urls, bought, acts } = sums;
console.log(
  `${count - failed.length} of ${count} scenarios held in ${((performance.now() - began) / 1_000).toFixed(0)} s: ` +
    `${urls} URLs, ${bought} bought, ${acts} kills, resets and other acts`,
);
console.log(`observed: ${listed(observed)}`);
console.log('checked: the charge of every URL generation, the body of every key, and the end of every URL');
if (failed.length === 0) rmSync(folder, { recursive: true, force: true });
else console.log(`failed: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
