import { relative } from 'node:path';
import type { Command } from 'commander';
import { type Micros, ZERO } from '../../../contract/money.ts';
import { createApiClient } from '../../api-client/client.ts';
import { unwrapData } from '../../api-client/errors.ts';
import { CommandError, EXIT, type ExitCode, pickWorst } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import type { Watch } from '../../config/config.ts';
import { readApiKey } from '../../config/secrets.ts';
import { activeRun, followCheck, followRun, startCheck, startRun } from '../../connector/run-client.ts';
import { newRunName } from '../../connector/run-name.ts';
import { type Ledger, openLedger } from '../../ledger/open-ledger.ts';
import { connectClient } from '../../temporal/connect.ts';
import type { WatchResult } from '../../temporal-api/workflows.ts';
import { action, type Ending } from '../output/command.ts';
import { formatCount } from '../output/format.ts';
import { listNotices } from '../output/notices.ts';
import { formatPlannedCost, openStages, type Stages, showRunProgress } from '../output/progress.ts';
import { type DemoLine, toDemoWatchRecord } from '../output/records/demo.ts';
import { getAccount } from '../with-ledger.ts';
import { NEW_PAGES } from './site.ts';
import { namedSource } from './sources.ts';
import { type Stack, startStack } from './stack.ts';
import { DemoState } from './state.ts';
import { type DemoRow, formatResultTable } from './table.ts';
import { DEMO_ACCOUNT } from './watch-config.ts';

interface DemoFlags {
  readonly once?: boolean;
  readonly fresh?: boolean;
}

/** The whole connector against its own sandbox, without an account anywhere: what `npm start` runs. */
export function demoCommand(command: Command): void {
  command
    .argument('[sitemap...]', 'your own sitemaps: addresses or files (default: a demo site)')
    .option('--once', 'end when the job is done, also on a terminal')
    .option('--fresh', 'delete the data of earlier demos and start over')
    .action(action((output, _globals, sitemaps: string[], flags: DemoFlags) => demo(output, sitemaps, flags)));
}

async function demo(output: Output, sitemaps: readonly string[], flags: DemoFlags): Promise<Ending> {
  const sources = sitemaps.map(namedSource);
  const state = DemoState.open(undefined, flags.fresh);
  const release = state.lock();
  let stop = async () => {};
  const ended = new Promise<never>((_, reject) => {
    const interrupt = (code: ExitCode) => () =>
      reject(new CommandError(code, 'Stopped. The next start continues with the planned batches.'));
    process.once('SIGINT', interrupt(EXIT.interrupted));
    process.once('SIGTERM', interrupt(EXIT.terminated));
    void startStack({
      state,
      sources,
      say: output.say,
      gaveUp: (reason) =>
        reject(new CommandError(EXIT.transient, `${reason}. Nothing is lost: run the same command again.`)),
    }).then((stack) => {
      stop = stack.stop;
      ready(stack);
    }, reject);
  });
  let ready: (stack: Stack) => void = () => {};
  const started = new Promise<Stack>((resolve) => {
    ready = resolve;
  });
  try {
    const stack = await Promise.race([started, ended]);
    const ending = await Promise.race([runDemo(output, stack, state), ended]);
    if (!flags.once && process.stdout.isTTY === true) {
      output.say('\nThe service, Temporal and the worker keep running so that you can look around. Ctrl-C ends them.');
      await ended.catch(() => undefined);
    }
    return ending;
  } finally {
    await stop();
    release();
  }
}

async function runDemo(output: Output, stack: Stack, state: DemoState): Promise<Ending> {
  const startedAt = new Date();
  const ledger = await openLedger(stack.config.ledgerUrl);
  const { client, connection } = await connectClient({
    address: stack.temporalAddress,
    namespace: 'default',
    local: true,
  });
  try {
    const jobs: (Job & DemoRow)[] = [];
    let balance = ZERO;
    const runAll = async (label: string) => {
      output.say(label);
      const watches = [...stack.config.watches.values()];
      const stages = openStages(output, watches.length);
      try {
        const done = await Promise.all(
          watches.map((watch) => runJobs({ output, stack, ledger, client, watch, stages })),
        );
        const left = await getBalance(stack);
        balance = left;
        jobs.push(...done.flat().map((job) => ({ ...job, balance: left })));
      } finally {
        stages.end();
      }
    };
    await runAll(
      `Web UI of Temporal: ${stack.uiUrl}\nSandbox service:    ${stack.baseUrl}\n\nCrawl, compare, plan, submit, track, check:`,
    );
    if (stack.site !== null && !state.memory.published) {
      stack.site.publish();
      state.remember({ published: true });
      await runAll(`\nThe site publishes ${NEW_PAGES} pages; the job runs again:`);
    }
    for (const { line } of jobs) output.record(toDemoWatchRecord(line));
    output.print(`\n${formatResultTable(jobs)}`);
    const sentences = jobs.flatMap((job) => job.sentences);
    for (const sentence of sentences) output.print(sentence);
    const query = `CourierAccount = 'sandbox' AND StartTime >= '${startedAt.toISOString()}'`;
    const ui = `${stack.uiUrl}/namespaces/default/workflows?query=${encodeURIComponent(query)}`;
    output.print(`\nThese workflows in the Web UI: ${ui}`);
    output.print(formatNextCommands(stack, jobs));
    const summary = { balance_micros: balance, notices: sentences, web_ui: ui, config: stack.configFile };
    return { exitCode: pickWorst(jobs.map(({ exitCode }) => exitCode)), summary };
  } finally {
    await connection.close();
    await ledger.close();
  }
}

interface Job {
  readonly line: DemoLine;
  readonly sentences: readonly string[];
  readonly exitCode: ExitCode;
}

interface JobInput {
  readonly output: Output;
  readonly stack: Stack;
  readonly ledger: Ledger;
  readonly client: Parameters<typeof startRun>[0];
  readonly watch: Watch;
  readonly stages: Stages;
}

/** A run of a watch; before it, one that a killed demo left unfinished. */
async function runJobs({ output, ledger, client, watch, stages }: JobInput): Promise<Job[]> {
  const unfinished = await activeRun(client, ledger.id, watch);
  const jobs: Job[] = [];
  if (unfinished !== null) {
    output.say(`  An earlier run of ${watch.id} has not ended; it continues first.`);
    jobs.push(await followJob(unfinished));
  }
  jobs.push(
    await followJob(await startRun(client, ledger.id, watch, 'terminal', newRunName(Date.now(), Math.random()))),
  );
  return jobs;

  async function followJob(handle: Awaited<ReturnType<typeof startRun>>): Promise<Job> {
    const result = await follow(handle);
    const check = await followCheck(await startCheck(client, ledger.id, watch, newRunName(Date.now(), Math.random())));
    stages.at('check', watch.id, check.checked, check.checked, `${formatCount(check.found)} found in the index`);
    const { counts, report } = result;
    const line: DemoLine = {
      watch: watch.id,
      found: counts.found,
      new: counts.new,
      submitted: report?.submitted ?? 0,
      completed: report?.completed ?? 0,
      failed: report?.failed ?? 0,
      checked: check.checked,
      inIndex: check.found,
      charged: report?.charged ?? ZERO,
      chargedChecks: check.charged,
    };
    return { line, ...listNotices(watch, result, { check }) };
  }

  async function follow(handle: Awaited<ReturnType<typeof startRun>>): Promise<WatchResult> {
    const ended = await followRun(handle, ledger, (progress) => showRunProgress(stages, watch.id, progress));
    stages.at('crawl', watch.id, ended.counts.found, ended.counts.found, `${formatCount(ended.counts.new)} new`);
    if (ended.plan !== null)
      stages.at('plan', watch.id, ended.plan.urls, ended.plan.urls, formatPlannedCost(ended.plan.cost));
    return ended;
  }
}

async function getBalance({ config, baseUrl }: Stack): Promise<Micros> {
  const { apiKey } = getAccount(config, DEMO_ACCOUNT);
  const client = createApiClient({ baseUrl, apiKey: () => readApiKey(apiKey) });
  try {
    return unwrapData(await client.balance()).balance;
  } finally {
    await client.close();
  }
}

/** What the reader types: scripts of the checkout, or the programs of the installed package. */
const [DEMO, COURIER] = import.meta.url.endsWith('.ts')
  ? ['npm start --', 'npm run -s courier --']
  : ['npx courier demo', 'npx courier'];

/** What to try next. */
function formatNextCommands({ site, configFile }: Stack, jobs: readonly Job[]): string {
  const lines = [];
  if (site === null) lines.push([`${DEMO} --once`, 'the demo site; or name another sitemap']);
  else if (jobs.some(({ line }) => line.submitted > 0))
    lines.push([`${DEMO} --once`, 'nothing is new now: nothing will be bought']);
  else lines.push([`${DEMO} --once --fresh`, 'from the beginning']);
  if (site !== null)
    lines.push([`${DEMO} https://www.example.com/sitemap.xml`, 'your own sitemap, against the sandbox']);
  lines.push([`${COURIER} batches list --config ${relative('.', configFile)}`, 'what was bought']);
  return lines.map(([command, what], at) => `${at === 0 ? 'Next: ' : '      '}${command}        (${what})`).join('\n');
}
