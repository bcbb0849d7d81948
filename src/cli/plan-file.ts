import { readFileSync, writeFileSync } from 'node:fs';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { CommandError, EXIT } from './exit-codes.ts';

const PlanFile = Type.Object({
  type: Type.Literal('courier-plan'),
  version: Type.Literal(1),
  watches: Type.Array(
    Type.Object({
      watch: Type.String(),
      run: Type.String(),
      /** Names exactly this plan: these URLs at this price. */
      digest: Type.String(),
      /** Why a guard holds it; empty when none does. */
      guards: Type.Array(Type.String()),
    }),
  ),
});

/** A plan that a person looked at, by the names under which the ledger has it. */
export type PlanFile = Static<typeof PlanFile>;

export function writePlanFile(file: string, watches: PlanFile['watches']): void {
  writeFileSync(file, `${JSON.stringify({ type: 'courier-plan', version: 1, watches } satisfies PlanFile, null, 2)}\n`);
}

export function readPlanFile(file: string): PlanFile {
  const unusable = (why: string) =>
    new CommandError(
      EXIT.usage,
      `${file} is not a plan (${why}). Nothing was planned or charged. Make one with "courier plan -o ${file}".`,
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
