import type { WatchId } from '../../submission/ids.ts';
import { LedgerError } from '../ledger-error.ts';
import type { Ledger } from '../open-ledger.ts';
import type { ForgetInput } from './forget-pages.ts';
import { eachCandidatePage, findObstacles, type Obstacle } from './forget-selection.ts';

/** What forgetting would do, and what stands against it. */
export interface ForgetSurvey {
  /** Pages that would be forgotten. */
  readonly pages: number;
  /** Selected pages that another watch lists, by that watch. Those of a removed watch keep their addresses with it. */
  readonly listed: ReadonlyMap<WatchId, number>;
  /** Pages of a batch, check or run that has not ended, with the first one. */
  readonly open: number;
  readonly obstacle: Exclude<Obstacle, { readonly kind: 'listed' }> | null;
}

/** Counts and changes nothing. */
export async function surveyForget(
  ledger: Ledger,
  { selection, configured }: ForgetInput,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<ForgetSurvey> {
  let pages = 0;
  let open = 0;
  let first: ForgetSurvey['obstacle'] = null;
  const listed = new Map<WatchId, number>();
  for await (const page of eachCandidatePage(ledger, selection)) {
    signal?.throwIfAborted();
    const ids = page.map(({ id }) => id);
    for (const obstacle of (await findObstacles(ledger.db, ids, configured, ledger.now())).values()) {
      if (obstacle === null) pages += 1;
      else if (obstacle.kind === 'listed') {
        // By host or address the row of the watch that lists the page is selected too: each page counts once.
        const counts = selection.kind === 'watch' || obstacle.own ? 1 : 0;
        listed.set(obstacle.watch, (listed.get(obstacle.watch) ?? 0) + counts);
      } else {
        open += 1;
        first ??= obstacle;
      }
    }
  }
  return { pages, listed, open, obstacle: first };
}

/**
 * Throws a LedgerError (WRONG_STATE) while selected pages are part of what has not ended, or a watch lists pages that
 * were selected by their host or address. `command` is what you type to try again.
 */
export function requireForgettable(
  { open, obstacle, listed }: ForgetSurvey,
  input: ForgetInput,
  command: string,
): void {
  if (obstacle !== null) {
    throw new LedgerError(
      'WRONG_STATE',
      `${toCount(open)} in ${describe(obstacle)}. Nothing was forgotten. ${adviseOn(obstacle)} Then type: ${command}`,
    );
  }
  const [watch] = listed.keys();
  if (watch === undefined || input.selection.kind === 'watch') return;
  throw new LedgerError(
    'WRONG_STATE',
    `The watch ${watch} lists ${listed.get(watch)} of these pages. Nothing was forgotten. Remove the watch, or leave the ` +
      `pages out with its exclude and let it run: courier run --once ${watch}. Then type: ${command}`,
  );
}

const toCount = (pages: number): string => (pages === 1 ? '1 page is' : `${pages} pages are`);

function describe(obstacle: NonNullable<ForgetSurvey['obstacle']>): string {
  switch (obstacle.kind) {
    case 'batch':
      return `a batch that has not ended, such as batch ${obstacle.batch}: it may still be charged`;
    case 'check':
      return `an index check of ${obstacle.watch} that has not ended`;
    case 'run':
      return `a run of ${obstacle.watch} that has not ended`;
  }
}

function adviseOn(obstacle: NonNullable<ForgetSurvey['obstacle']>): string {
  switch (obstacle.kind) {
    case 'batch':
      return `"courier batches" says what it waits for; take back what was never sent with "courier batches cancel ${obstacle.batch}".`;
    case 'check':
      return 'Let the worker finish it.';
    case 'run':
      return 'Let it end; a run that does nothing for 24 hours counts as ended.';
  }
}
