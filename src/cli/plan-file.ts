import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Micros } from '../../contract/money.ts';
import { CommandError, EXIT } from '../cli-kit/exit-codes.ts';
import type { WatchPlan } from './output/plan-text.ts';

const PlanFile = Type.Object({
  type: Type.Literal('courier-plan'),
  version: Type.Literal(1),
  watches: Type.Array(
    Type.Object({
      watch: Type.String(),
      run: Type.String(),
      /** Names exactly this plan: these URLs at this price. */
      digest: Type.String(),
      /** For the reader, as the cost; `digest` alone decides. */
      urls: Type.Integer(),
      /** In micro-lira. */
      cost: Type.Union([Type.Integer(), Type.Null()]),
      /** Why a guard holds it; empty when none does. */
      guards: Type.Array(Type.String()),
    }),
  ),
});

/** A plan that a person looked at, by the names under which the ledger has it. */
export type PlanFile = Static<typeof PlanFile>;

/** Writes the plans, whole or not at all. Throws a sentence (exit code 2) where that is not allowed. */
export function writePlanFile(file: string, plans: readonly WatchPlan[]): void {
  const kept: PlanFile = {
    type: 'courier-plan',
    version: 1,
    watches: plans.map(({ watch, run, plan, guards }) => ({
      watch: watch.id,
      run,
      digest: plan.digest,
      urls: plan.urls,
      cost: plan.cost satisfies Micros | null,
      guards: [...guards],
    })),
  };
  try {
    writeFileSync(`${file}.new`, `${JSON.stringify(kept, null, 2)}\n`);
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw new CommandError(
      EXIT.usage,
      `The plan cannot be kept in ${file} (${(error as Error).message}). Nothing was planned or charged. ` +
        'Name a file in a folder that you may write to.',
    );
  }
}

/** Reads a plan. Throws a sentence (exit code 2) when it is none. */
export function readPlanFile(file: string): PlanFile {
  const unusable = (why: string) =>
    new CommandError(
      EXIT.usage,
      `${file} is not a plan (${why}). Nothing was planned or charged. Make one with "courier plan -o FILE".`,
    );
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw unusable((error as Error).message);
  }
  if (!Value.Check(PlanFile, read)) throw unusable('its content is another');
  return read;
}
