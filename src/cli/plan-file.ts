import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { type CommandError, UsageError } from '../cli-kit/exit-codes.ts';
import { renderReason } from '../submission/reason.ts';
import type { WatchPlan } from './output/plan-text.ts';

const VERSION = 1;

/** The file that `plan -o` writes and `apply` reads. */
export const PlanFileSchema = Type.Object(
  {
    type: Type.Literal('courier-plan'),
    version: Type.Literal(VERSION, { description: 'version of this format' }),
    watches: Type.Array(
      Type.Object(
        {
          watch: Type.String({ description: 'name of the watch' }),
          run: Type.String({ description: 'the run that read the sitemaps' }),
          digest: Type.String({ description: 'names exactly this plan: these URLs at this price' }),
          urls: Type.Integer({ minimum: 0, description: 'URLs to buy; for the reader, `digest` decides' }),
          cost_micros: Type.Union([Type.Integer(), Type.Null()], {
            description: 'cost',
          }),
          guards: Type.Array(Type.String(), { description: 'why a guard would hold it' }),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false, description: 'A plan that `courier apply` carries out.' },
);

/** A reviewed plan, by the names under which the ledger has it. */
export type PlanFile = Static<typeof PlanFileSchema>;

/** Writes the plans, whole or not at all. Throws a CommandError (exit code 2) where that is not allowed. */
export function writePlanFile(file: string, plans: readonly WatchPlan[]): void {
  const content: PlanFile = {
    type: 'courier-plan',
    version: VERSION,
    watches: plans.map(({ watch, run, plan, guards }) => ({
      watch: watch.id,
      run,
      digest: plan.digest,
      urls: plan.urls,
      cost_micros: plan.cost,
      guards: guards.map(renderReason),
    })),
  };
  try {
    writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`);
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw new UsageError(
      `The plan cannot be written to ${file} (${(error as Error).message}). Nothing was planned or charged. ` +
        'Name a file in a folder that you may write to.',
    );
  }
}

/** Reads a plan. Throws a CommandError (exit code 2) when the file is not one. */
export function readPlanFile(file: string): PlanFile {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw toUnusable(file, (error as Error).message);
  }
  const { type, version } = (content ?? {}) as { type?: unknown; version?: unknown };
  if (type === 'courier-plan' && version !== VERSION)
    throw toUnusable(file, `version ${String(version)} of the format; this program reads version ${VERSION}`);
  if (!Value.Check(PlanFileSchema, content)) throw toUnusable(file, 'unexpected contents');
  return content;
}

function toUnusable(file: string, why: string): CommandError {
  return new UsageError(
    `${file} is not a plan that can be applied (${why}). Nothing was planned or charged. Create one with ` +
      '"courier plan -o FILE".',
  );
}
