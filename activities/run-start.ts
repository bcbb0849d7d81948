import { createHash } from 'node:crypto';
import type { Watch } from '../src/config/config.ts';
import type { RunStart } from '../src/ledger/runs/runs.ts';
import type { RunId } from '../src/submission/ids.ts';

/** How a run of a watch begins in the ledger. In its own file, because `courier plan` needs it without Temporal's SDK. */
export function runStart(watch: Watch, run: RunId): RunStart {
  const { hosts, include, exclude, hreflang } = watch;
  const scope = createHash('sha256').update(JSON.stringify({ hosts, include, exclude, hreflang })).digest('hex');
  return { watch: watch.id, account: watch.account, run, sources: watch.sources, scope, firstRun: watch.firstRun };
}
