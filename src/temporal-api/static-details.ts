import type { AccountId, BatchId, Reference, WatchId } from '../submission/ids.ts';

/*
 * What the Web UI shows of a workflow from its start on, in Markdown: what it is for, and the command for each thing that
 * you may want of it.
 */

export const describeRun = (watch: WatchId, account: AccountId): string =>
  `Reads the sitemaps of **${watch}**, compares them with the ledger and plans what is new for account **${account}**.

- Why was a URL submitted, or not? \`courier why URL\`
- A guard holds it: send the update \`approve\` or \`reject\` (no data is needed), or \`courier approve RUN\`
- Numbers: the queries \`status\`, \`plan\` and \`urls\``;

export const describeDispatcher = (account: AccountId): string =>
  `Sends the planned batches of account **${account}**, one after another. It ends when nothing is planned, and starts
again with the next plan.

- After a top-up or a new key it continues by itself; the signal \`wake\` lets it check at once
- What waits, and for which money? The query \`status\`, or \`courier status\``;

export const describeTracker = (job: {
  readonly watch: WatchId;
  readonly account: AccountId;
  readonly reference: Reference;
  readonly batch: BatchId;
}): string =>
  `Polls job **${job.reference.slice(0, 200)}** of **${job.watch}** (account **${job.account}**) until the service has ended it.
It is paid for: polls cost nothing.

- Poll now: the signal \`pollNow\`
- Its URLs: \`courier batches show ${job.batch}\``;

export const describeChecks = (watch: WatchId, account: AccountId): string =>
  `Asks the service which URLs of **${watch}** are in the index, at most 50 in a request. Account **${account}** pays each
check, within the caps of the watch.

- What was not found: \`courier index-checks list --not-found\``;
