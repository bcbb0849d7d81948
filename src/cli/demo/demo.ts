import { Command } from 'commander';
import { formatTry, type Micros, ZERO } from '../../../contract/money.ts';
import { createApiClient } from '../../api-client/client.ts';
import { unwrapData } from '../../api-client/errors.ts';
import { CommandError, EXIT, type ExitCode, pickWorst } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import type { Watch } from '../../config/config.ts';
import { readSecret } from '../../config/secrets.ts';
import { activeRun, followCheck, followRun, newRunName, startCheck, startRun } from '../../connector/run-client.ts';
import { type Ledger, openLedger } from '../../ledger/open-ledger.ts';
import { connectClient } from '../../temporal/connect.ts';
import type { WatchResult } from '../../temporal-api/workflows.ts';
import { action, type Ending } from '../output/command.ts';
import { listNotices } from '../output/notices.ts';
import { costText, runProgress } from '../output/run-progress.ts';
import { openStages, type Stages } from '../output/stages.ts';
import { NEW_PAGES } from './site.ts';
import { namedSource } from './sources.ts';
import { type Stack, startStack } from './stack.ts';
import { DemoState } from './state.ts';
import { resultTable, type WatchLine } from './table.ts';

interface DemoFlags {
  readonly once?: boolean;
  readonly fresh?: boolean;
}

/** The whole connector against its own sandbox, without an account anywhere: what `npm start` runs. */
export function demoCommand(): Command {
  return new Command('demo')
    .description(
      'try everything on this machine: the sandbox service, a demo site (or your sitemaps) and the whole job',
    )
    .argument('[sitemap...]', 'sitemaps of your own: addresses or files')
    .option('--once', 'end when the job is done, also on a terminal')
    .option('--fresh', 'forget what earlier demos found and bought')
    .action(action((output, _flags, sitemaps: string[], flags: DemoFlags) => demo(output, sitemaps, flags)));
}

async function demo(output: Output, sitemaps: readonly string[], flags: DemoFlags): Promise<Ending> {
  const sources = sitemaps.map(namedSource);
  const state = DemoState.open(undefined, flags.fresh);
  const release = state.lock();
  let stop = async () => {};
  const ended = new Promise<never>((_, reject) => {
    const interrupt = (code: ExitCode) => () =>
      reject(new CommandError(code, 'Stopping; what was planned goes on with the next start.'));
    process.once('SIGINT', interrupt(EXIT.interrupted));
    process.once('SIGTERM', interrupt(EXIT.terminated));
    void startStack({
      state,
      sources,
      say: output.say,
      gaveUp: (reason) =>
        reject(new CommandError(EXIT.transient, `${reason}. Nothing is lost; run the same command again.`)),
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
      output.say('\nEverything stays up for you to look around. Ctrl-C ends it.');
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
  const { client, connection } = await connectClient({ address: stack.temporalAddress, namespace: 'default' });
  try {
    const jobs: Job[] = [];
    const runAll = async (label: string) => {
      output.say(label);
      const watches = [...stack.config.watches.values()];
      const stages = openStages(output, watches.length);
      try {
        const done = await Promise.all(
          watches.map((watch) => runJobs({ output, stack, ledger, client, watch, stages })),
        );
        jobs.push(...done.flat());
      } finally {
        stages.end();
      }
    };
    await runAll(
      `Web UI of Temporal: ${stack.uiUrl}\nSandbox service:    ${stack.baseUrl}\n\nCrawl, compare, plan, submit, follow, check:`,
    );
    if (stack.site !== null && !state.memory.published) {
      stack.site.publish();
      state.remember({ published: true });
      await runAll(`\nThe site publishes ${NEW_PAGES} pages; the job runs again:`);
    }
    const balance = await getBalance(stack);
    for (const { line } of jobs) output.record({ type: 'watch', ...line });
    output.print(
      `\n${resultTable(
        jobs.map(({ line }) => line),
        balance,
      )}`,
    );
    const sentences = jobs.flatMap((job) => job.sentences);
    for (const sentence of sentences) output.print(sentence);
    const query = `CourierAccount = 'sandbox' AND StartTime >= '${startedAt.toISOString()}'`;
    const ui = `${stack.uiUrl}/namespaces/default/workflows?query=${encodeURIComponent(query)}`;
    output.print(`\nThese workflows in the Web UI: ${ui}`);
    output.print(nextCommand(stack, jobs));
    const summary = { balance: formatTry(balance), findings: sentences, web_ui: ui, config: stack.configFile };
    return { exitCode: pickWorst(jobs.map(({ exitCode }) => exitCode)), summary };
  } finally {
    await connection.close();
    await ledger.close();
  }
}

interface Job {
  readonly line: WatchLine;
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
  const interrupted = await activeRun(client, ledger.id, watch);
  const jobs: Job[] = [];
  if (interrupted !== null) {
    output.say(`  A run of ${watch.id} was interrupted; it goes on where it was.`);
    jobs.push(await jobOf(interrupted));
  }
  jobs.push(await jobOf(await startRun(client, ledger.id, watch, 'terminal', newRunName(Date.now(), Math.random()))));
  return jobs;

  async function jobOf(handle: Awaited<ReturnType<typeof startRun>>): Promise<Job> {
    const result = await follow(handle);
    const check = await followCheck(await startCheck(client, ledger.id, watch, newRunName(Date.now(), Math.random())));
    stages.at('check', watch.id, check.checked, check.checked, `${check.found} found in the index`);
    const { counts, report } = result;
    const line: WatchLine = {
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
    return { line, ...listNotices(watch, result, check) };
  }

  async function follow(handle: Awaited<ReturnType<typeof startRun>>): Promise<WatchResult> {
    const ended = await followRun(handle, ledger, (progress) => runProgress(stages, watch.id, progress));
    stages.at('crawl', watch.id, ended.counts.found, ended.counts.found, `${ended.counts.new} new`);
    if (ended.plan !== null) stages.at('plan', watch.id, ended.plan.urls, ended.plan.urls, costText(ended.plan.cost));
    return ended;
  }
}

async function getBalance({ config, baseUrl }: Stack): Promise<Micros> {
  const [account] = config.accounts.values();
  const client = createApiClient({ baseUrl, apiKey: () => readSecret(account!.apiKey) });
  try {
    return unwrapData(await client.balance()).balance;
  } finally {
    await client.close();
  }
}

function nextCommand({ site }: Stack, jobs: readonly Job[]): string {
  if (site === null) return 'Next: npm start -- --once        (the demo site; or name another sitemap)';
  const bought = jobs.some(({ line }) => line.submitted > 0);
  return bought
    ? 'Next: npm start -- --once        (nothing is new now: nothing will be bought)\n      npm start -- https://www.example.com/sitemap.xml        (your own sitemap, against the sandbox)'
    : 'Next: npm start -- --once --fresh        (from the beginning)\n      npm start -- https://www.example.com/sitemap.xml        (your own sitemap, against the sandbox)';
}
