/**
 * `npm run load:outages -- --minutes 20`: one worker, 15 runs that crawl slow sites, and for so long no Postgres of their
 * ledger. `--restarts 5` ends the worker meanwhile, by SIGKILL and by SIGTERM in turns. Fails when a run or a job does not end
 * well, or when a page is not bought exactly once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ScriptCleanup } from '../support/cleanup.ts';
import { FIRST_BUILD } from './cluster/fleet.ts';
import { parseOptions } from './cluster/options.ts';
import { judge } from './cluster/oracle.ts';
import { play } from './cluster/play.ts';
import { openStack, type Stack } from './cluster/stack.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    restarts: { type: 'string', default: '0' },
    watches: { type: 'string', default: '15' },
    'site-seconds': { type: 'string', default: '90' },
  },
});
const [awayMs, siteSeconds, restarts] = [
  Number(values.minutes) * 60_000,
  Number(values['site-seconds']),
  Number(values.restarts),
];
/** So far the sites have sent a part of each sitemap. */
const UNDER_WAY_MS = 20_000;
const BETWEEN_RESTARTS_MS = 30_000;

const startedAt = Date.now();
const say = (text: string) =>
  process.stdout.write(`${String(Math.round((Date.now() - startedAt) / 1_000)).padStart(5)} s ${text}\n`);

async function disturb({ postgres, fleet }: Stack): Promise<void> {
  await sleep(UNDER_WAY_MS);
  if (awayMs > 0) {
    say('Postgres stops');
    await postgres!.crash(awayMs);
    say('Postgres answers again');
  }
  for (let restart = 0; restart < restarts; restart++) {
    await (restart % 2 === 0 ? fleet.kill(0) : fleet.restartAll());
    say(`worker restart ${restart + 1}, by ${restart % 2 === 0 ? 'SIGKILL' : 'SIGTERM'}`);
    await sleep(BETWEEN_RESTARTS_MS);
  }
}

/** Events and attempts of each run's crawl. */
async function listRuns({ client }: Stack) {
  const runs: { readonly run: string; readonly status: string; readonly events: number; readonly attempts: number }[] =
    [];
  for await (const { workflowId, status } of client.workflow.list({ query: "WorkflowType = 'watchSitemap'" })) {
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    const scheduled = events?.find(
      (each) => each.activityTaskScheduledEventAttributes?.activityType?.name === 'crawlWatch',
    );
    const started = events?.find(
      ({ activityTaskStartedEventAttributes: of }) =>
        of != null && String(of.scheduledEventId) === String(scheduled?.eventId),
    );
    const attempts = started?.activityTaskStartedEventAttributes?.attempt ?? 0;
    runs.push({ run: workflowId, status: status.name, events: events?.length ?? 0, attempts });
  }
  return runs;
}

const cleanup = new ScriptCleanup();
try {
  const options = {
    ...parseOptions(['--workers', '1', '--watches', values.watches, '--accounts', '5', '--urls', '200000']),
    limitMs: awayMs + 30 * 60_000,
  };
  const stack = await openStack(cleanup, { ...options, siteMs: siteSeconds * 1_000 });
  await stack.fleet.add(FIRST_BUILD, 1);
  say('the worker works');
  let isDisturbed = true;
  const disturbing = disturb(stack).finally(() => {
    isDisturbed = false;
  });
  // One run of each watch: nothing is started again while the play goes on.
  const playing = play(stack, options, {
    signal: new AbortController().signal,
    onProgress: () => undefined,
    isDisturbed: () => false,
  });
  const [{ runs, breaches }] = await Promise.all([playing, disturbing]);
  const all = [...breaches, ...(await judge(stack))];
  if (isDisturbed) all.push('the play ended before what was to be done');
  const listed = await listRuns(stack);
  for (const { run, status, events, attempts } of listed)
    say(`${run}: ${status}, crawled in ${attempts} attempts, ${events} events`);
  say(
    JSON.stringify({
      runs,
      completed: listed.filter(({ status }) => status === 'COMPLETED').length,
      breaches: all,
      unexpectedEnds: stack.fleet.unexpectedEnds,
    }),
  );
  if (all.length > 0) process.exitCode = 1;
} finally {
  await cleanup.run();
}
