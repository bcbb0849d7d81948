import type { Config } from '../../config/config.ts';
import { listUndelivered } from '../../ledger/notices/queue.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { formatCounted } from '../../submission/count.ts';
import { formatInstant } from '../../submission/instant.ts';
import { type Finding, fail, ok } from './finding.ts';

const ABOUT = { check: 'notifications', subject: null } as const;

/** Who is notified of a problem, and which channels take no messages. */
export async function checkNotifications({ notify }: Config, ledger: Ledger): Promise<Finding[]> {
  const channels = [...notify.channels.keys()];
  if (channels.length === 0) return [ok(ABOUT, 'no channel is configured; problems are in "courier status --check"')];
  const failing = (await listUndelivered(ledger, channels)).map(({ channel, since, failure }) =>
    fail(
      { ...ABOUT, subject: channel },
      `a message of ${formatInstant(since)} is not delivered: ${failure}`,
      'correct the channel, then run "courier notify test"',
    ),
  );
  if (failing.length > 0) return failing;
  return [ok(ABOUT, `${formatCounted(channels.length, 'channel')} configured: ${channels.join(', ')}`)];
}
