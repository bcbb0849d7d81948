import { execFile } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Client } from '@temporalio/client';
import { type Build, DEPLOYMENT, FIRST_BUILD } from './fleet.ts';
import { ROOT } from './process.ts';
import type { Stack } from './stack.ts';

const run = promisify(execFile);
const TRIES = 30;

interface DeployPlan {
  readonly forMs: number;
  /** The time that build b has to end its work after the roll-back. */
  readonly limitMs: number;
  readonly workers: number;
  readonly pause: (ms: number) => Promise<void>;
  readonly act: (name: string, work: () => Promise<string | undefined>) => Promise<void>;
  readonly say: (line: string) => void;
}

/**
 * At a third of the time workers of a build with a changed workflow start beside the others and take all new work; at two
 * thirds the first build takes it back. The second build's workers stop when nothing runs on it any more.
 */
export async function deployAndRollBack(
  stack: Stack,
  { forMs, limitMs, workers, pause, act, say }: DeployPlan,
): Promise<void> {
  const second = createChangedBuild(stack.folder);
  await pause(forMs / 3);
  await act('workers of the second build started', async () => void (await stack.fleet.add(second, workers)));
  await promote(stack, second, say);
  await pause(forMs / 3);
  await promote(stack, FIRST_BUILD, say);
  say(`rolled back; ${await countWorkflows(stack, second)} workflows are still on build ${second.id}`);
  for (const latest = Date.now() + limitMs; (await countWorkflows(stack, second)) > 0; await sleep(2_000)) {
    // The oracle names what is left.
    if (Date.now() > latest) return say(`build ${second.id} is still in use: its workers continue`);
  }
  await act(`nothing runs on build ${second.id} any more: its workers stopped`, async () => {
    await stack.fleet.remove(second);
    return undefined;
  });
}

/** As an operator does it, until the server knows the workers of the build. */
export async function promote(
  { configFile, client }: Pick<Stack, 'configFile' | 'client'>,
  { id }: Build,
  say: (line: string) => void,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await courier(configFile, 'deployments', 'promote', DEPLOYMENT, id);
      return say(`promoted build ${id}${tries === 1 ? '' : ` at try ${tries}`}`);
    } catch (error) {
      if (tries === TRIES) throw error;
      if (tries === 1) {
        say(`build ${id} is not promoted yet: ${(error as Error).message.slice(-400).trim()}`);
        say(`task queues that the server knows: ${await listTaskQueues(client)}`);
      }
      await sleep(1_000);
    }
  }
}

/** Of each build. */
async function listTaskQueues({ workflowService, options: { namespace } }: Client): Promise<string> {
  const lists: string[] = [];
  for (const buildId of ['a', 'b']) {
    const { versionTaskQueues } = await workflowService.describeWorkerDeploymentVersion({
      namespace,
      deploymentVersion: { deploymentName: DEPLOYMENT, buildId },
    });
    const names = versionTaskQueues?.map(({ name, type }) => `${name} (type ${type})`).toSorted();
    lists.push(`${buildId}: ${names?.join(', ')}`);
  }
  return lists.join('; ');
}

async function countWorkflows({ configFile }: Pick<Stack, 'configFile'>, { id }: Build): Promise<number> {
  const { stdout } = await courier(configFile, 'deployments', 'list', DEPLOYMENT);
  const records = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { build?: string; workflows?: number });
  return records.find(({ build }) => build === id)?.workflows ?? 0;
}

const courier = (configFile: string, ...args: string[]) =>
  run(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    join(ROOT, 'src/cli/main.ts'),
    ...args,
    '--json',
    '--config',
    configFile,
  ]);

/** What a checkout needs to run the connector. */
const SOURCES = ['src', 'activities', 'workflows', 'contract', 'service', 'bin', 'config', 'package.json'];

/** A timer more in each workflow: in runs, which are pinned, without a patch; in the others behind one. */
const CHANGES = [
  {
    file: 'workflows/watch-sitemap.ts',
    before: '  const run: WatchRun = ',
    after: '  await condition(() => false, 1);\n  const run: WatchRun = ',
  },
  {
    file: 'workflows/dispatch-account.ts',
    before: 'import { continueAsNew,',
    after: 'import { condition, continueAsNew, patched,',
  },
  {
    file: 'workflows/dispatch-account.ts',
    before: '    const taken = await showWaits(',
    after: "    if (patched('second-build')) await condition(() => false, 1);\n    const taken = await showWaits(",
  },
  {
    file: 'workflows/track-submission.ts',
    before: 'condition, continueAsNew,',
    after: 'condition, continueAsNew, patched,',
  },
  {
    file: 'workflows/track-submission.ts',
    before: '    const known = status.state;',
    after: "    if (patched('second-build')) await condition(() => false, 1);\n    const known = status.state;",
  },
];

/** A copy of this checkout in which workflows have changed. */
function createChangedBuild(folder: string): Build {
  const root = join(folder, 'second-build');
  for (const source of SOURCES) cpSync(join(ROOT, source), join(root, source), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  for (const { file, before, after } of CHANGES) {
    const path = join(root, file);
    const source = readFileSync(path, 'utf8');
    if (!source.includes(before))
      throw new Error(`${file} holds no "${before}": correct the change of the second build`);
    writeFileSync(path, source.replace(before, after));
  }
  return { id: 'b', root };
}
