import { EXIT, type ExitCode } from '../../cli-kit/exit-codes.ts';
import { type Output, report } from '../../cli-kit/output.ts';
import { stopSignal } from '../../cli-kit/stop-signal.ts';
import type { Account } from '../../config/config.ts';
import { loadConfigFiles } from '../../config/load.ts';
import { readApiKey } from '../../config/secrets.ts';
import type { Bought } from '../../connector/learn/ask-service.ts';
import { learnService } from '../../connector/learn/learn-service.ts';
import type { Learned, Proposal, Reading } from '../../connector/learn/learned.ts';
import { REQUESTS } from '../../connector/learn/read-values.ts';
import { toBlock } from '../../connector/learn/to-block.ts';
import { findOtherAccount } from '../../ledger/money/account-status.ts';
import { toSentence } from '../../submission/reason.ts';
import { type Ending, toReadFailureCode } from '../output/command.ts';
import { toBlockRecord, toProposalRecord, toReadingRecord } from '../output/records/doctor.ts';
import type { CommandContext } from '../with-ledger.ts';

/** What the services of all accounts are like, or of one where a page was bought for this. Nothing of the ledger changes. */
export async function learnServices(
  output: Output,
  context: CommandContext,
  bought: (Bought & { readonly account: Account }) | null = null,
): Promise<Ending> {
  const { config, ledger, file } = context;
  const signal = stopSignal('Nothing was changed.');
  const { raw } = loadConfigFiles(file).merged;
  const codes: ExitCode[] = [];
  let proposed = 0;
  let failed = 0;
  for (const account of bought === null ? config.accounts.values() : [bought.account]) {
    readApiKey(account.apiKey);
    const other = await findOtherAccount(ledger.db, account);
    if (other !== null) {
      // Another service would be sent a key that is not for it.
      report(output, EXIT.usage, [`${account.id}: ${toSentence(other)}`]);
      codes.push(EXIT.usage);
      continue;
    }
    const learned = await learnService(config, ledger, account, signal, bought);
    const { readings, proposals, failures } = learned;
    for (const reading of readings) output.record(toReadingRecord({ account: account.id, ...reading }));
    for (const proposal of proposals) output.record(toProposalRecord({ account: account.id, ...proposal }));
    const own = raw.accounts[account.id];
    const block = own === undefined ? null : toBlock(account.id, own, proposals);
    if (block !== null) output.record(toBlockRecord({ account: account.id, yaml: block }));
    const exitCode = toExitCode(learned);
    report(output, exitCode, formatLearned(account, learned, block));
    codes.push(exitCode);
    proposed += proposals.length;
    failed += failures.length;
  }
  const exitCode = ORDER.find((code) => codes.includes(code)) ?? EXIT.done;
  return { exitCode, summary: { findings: 0, warnings: 0, failures: failed, proposals: proposed } };
}

/** The worst first. */
const ORDER = [EXIT.keyRefused, EXIT.usage, EXIT.transient, EXIT.partial];

/** A service without `GET /me` or a list works as well: a 404 there is no failure. */
function toExitCode({ proposals, failures }: Learned): ExitCode {
  const failure = failures.find(({ request, error }) => error.status !== 404 || request === 'GET /balance');
  if (failure !== undefined) return toReadFailureCode(failure.error);
  return proposals.length > 0 ? EXIT.partial : EXIT.done;
}

function formatLearned(
  { id, baseUrl }: Account,
  { readings, proposals, failures }: Learned,
  block: string | null,
): string[] {
  const lines = [`${id}: ${baseUrl}`];
  for (const request of REQUESTS) {
    const own = readings.filter((reading) => reading.request === request);
    const reasons = failures.filter((failure) => failure.request === request).map(({ error }) => `  ${error.message}`);
    if (own.length + reasons.length === 0) continue;
    const unused = own.filter(({ value }) => value === null).map(({ path, shown }) => `${path} (${shown})`);
    const rest = unused.length === 0 ? [] : [`  nothing is read from ${[...new Set(unused)].join(', ')}`];
    lines.push(request, ...reasons, ...own.filter(({ value }) => value !== null).map(formatReading), ...rest);
  }
  if (block === null) return [...lines, 'Nothing is proposed: what the responses have in known places was read.'];
  return [
    ...lines,
    `The values above are read with the proposed settings. ${describeCount(proposals)}:`,
    '',
    block,
    '',
  ];
}

function formatReading({ value, path, shown, read }: Reading): string {
  const place = path === null ? [] : shown === null ? [path] : [`${path}: ${shown}`];
  const columns = [(value ?? '').padEnd(15), (read ?? 'not found').padEnd(24), ...place];
  return `  ${columns.join(' ')}`.trimEnd();
}

function describeCount(proposals: readonly Proposal[]): string {
  const open = proposals.filter(({ decided }) => !decided).length;
  const settings = 'Put them into the account, in place of those of the same name';
  return open === 0 ? settings : `${settings}; a line with # is a question that only you can answer`;
}
