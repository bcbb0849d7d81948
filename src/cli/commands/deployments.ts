import { isGrpcServiceError } from '@temporalio/client';
import { type Command, InvalidArgumentError } from 'commander';
import { type CommandError, UsageError } from '../../cli-kit/exit-codes.ts';
import { loadConfig } from '../../config/load.ts';
import { formatBuild } from '../../connector/explain-builds.ts';
import { findServer, withTemporal } from '../../connector/temporal-server.ts';
import { isDenied } from '../../temporal/access-error.ts';
import { createDataConverter } from '../../temporal/data-converter.ts';
import { listVersions, promoteBuild } from '../../temporal/deployment.ts';
import { resetAfterRollBack } from '../../temporal/roll-back.ts';
import type { VersionStatus } from '../../temporal/version-status.ts';
import { action } from '../output/command.ts';
import { formatCounted } from '../output/format.ts';
import { toBuildRecord, toMovedRunRecord, toPromotedRecord } from '../output/records/deployment.ts';
import { toSentence } from '../requirements.ts';
import { ledgerAction } from '../with-ledger.ts';

export function deploymentsCommand(command: Command): void {
  configureList(command.command('list').description('list the builds of a deployment, and what still runs on each'));
  configurePromote(
    command.command('promote').description('send new workflows to a build: all of them, or a share of them'),
  );
  configureMove(
    command.command('move').description('let another build continue a run whose build has no workers any more'),
  );
}

function configureList(command: Command): void {
  command.argument('<deployment>', 'its name, as "courier worker --deployment" has it').action(
    action((output, { config: file }, deployment: string) =>
      withTemporal(loadConfig(file), file, async (temporal) => {
        const versions = await listVersions(temporal, deployment);
        if (versions.length === 0) throw toUnknown(deployment);
        for (const version of versions) {
          output.record(toBuildRecord({ deployment, ...version }));
          output.print(formatVersion(version));
        }
        return { summary: { builds: versions.length } };
      }),
    ),
  );
}

function configurePromote(command: Command): void {
  command
    .argument('<deployment>', 'its name, as "courier worker --deployment" has it')
    .argument('<build>', 'its name, as "courier worker --build" has it')
    .option('--percent <share>', 'only this share of the new workflows, from 1 to 99', parseShare, 100)
    .action(
      action((output, { config: file }, deployment: string, build: string, { percent }: { percent: number }) =>
        withTemporal(loadConfig(file), file, async (temporal) => {
          await promoteBuild(temporal, { deployment, build }, percent).catch((error: unknown) => {
            throw isGrpcServiceError(error) && !isDenied(error) ? toRefused(deployment, build, error.details) : error;
          });
          const reset = percent === 100 ? await resetAfterRollBack(temporal, { deployment, build }) : 0;
          output.record(toPromotedRecord({ deployment, build, percent, reset }));
          if (reset > 0) {
            output.print(
              `${formatCounted(reset, 'workflow')} that a newer build had continued ${reset === 1 ? 'starts' : 'start'} over on build ` +
                `${build}, from what the ledger says. Nothing is sent or charged twice.`,
            );
          }
          output.print(
            percent === 100
              ? `New workflows run on build ${build}. Runs that began before end on their own build; what waits or polls ` +
                  `for days moves to ${build} with its next step.`
              : `${percent} of 100 new workflows run on build ${build}, the others on the current build.`,
          );
          return { summary: { deployment, build } };
        }),
      ),
    );
}

function configureMove(command: Command): void {
  command
    .argument('<run>', 'name of the run, as "courier status" shows it: watch/LEDGER/WATCH/…')
    .requiredOption('--to <build>', 'the build that continues it; run the command where that build is installed')
    .action(
      ledgerAction((output, { config, file, ledger }, run: string, { to: build }: { to: string }) =>
        withTemporal(config, file, async (temporal) => {
          // Loaded here: the other commands need no worker of the SDK.
          const { moveRun } = await import('../../connector/move-run.ts');
          const dataConverter = createDataConverter(findServer(config, file));
          const move = await moveRun({ temporal, ledger: ledger.id, dataConverter }, run, build);
          if (move.kind === 'refused') throw toNotMoved(move);
          output.record(toMovedRunRecord({ run, ...move }));
          output.print(`${run} continues on ${formatBuild(move.to)}. Nothing is sent or charged twice.`);
          return { summary: { run, build } };
        }),
      ),
    );
}

const toNotMoved = ({ why, next }: { readonly why: string; readonly next: string }): CommandError =>
  new UsageError(
    `${toSentence(why)}. Nothing was changed, and nothing is charged while the run waits. ${toSentence(next)}.`,
  );

function formatVersion({ build, state, percent, workflows }: VersionStatus): string {
  const open = workflows === 0 ? 'nothing runs on it' : `${formatCounted(workflows, 'workflow', 'workflows')} on it`;
  return `${build}  ${state}${percent === 0 ? '' : `, ${percent}% of new workflows`}, ${open}`;
}

function parseShare(text: string): number {
  const share = Number(text);
  if (Number.isInteger(share) && share >= 1 && share <= 99) return share;
  throw new InvalidArgumentError('Give a whole number from 1 to 99; without the option the build takes everything.');
}

const toUnknown = (deployment: string): CommandError =>
  new UsageError(
    `The Temporal server knows no deployment "${deployment}". Nothing was changed. Start a worker of it: ` +
      `courier worker --deployment ${deployment} --build BUILD`,
  );

const toRefused = (deployment: string, build: string, details: string): CommandError =>
  new UsageError(
    `The Temporal server did not promote build ${build} of ${deployment}: ${details}. Nothing was changed. ` +
      `See that workers of every duty run with --deployment ${deployment} --build ${build}. The server learns of their ` +
      'queues one by one in the first seconds, on a busy server in the first minute: then run the command again.',
  );
