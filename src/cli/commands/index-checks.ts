import { type Command, Option } from 'commander';
import { getTimeZone } from '../../config/time-zone.ts';
import { findNextCheck } from '../../connector/next-check.ts';
import { eachIndexState, type IndexState } from '../../ledger/reports/index-states.ts';
import { formatInstantIn } from '../../submission/instant.ts';
import { formatCounted } from '../output/format.ts';
import { toIndexStateRecord } from '../output/records/run.ts';
import { getWatch, ledgerAction, selectWatches } from '../with-ledger.ts';

interface ListFlags {
  readonly watch?: string;
  readonly found?: true;
  readonly notFound?: true;
  readonly unchecked?: true;
}

/** What is asked for, by the flag that asks. */
const CHOICES: Readonly<Record<'found' | 'notFound' | 'unchecked', IndexState['result']>> = {
  found: 'found',
  notFound: 'not-found',
  unchecked: null,
};

export function indexChecksCommand(command: Command): void {
  const only = (flag: string, does: string, ...others: string[]) => new Option(flag, does).conflicts(others);
  command
    .command('list')
    .description('list every completed URL with what its last index check said')
    .option('--watch <watch>', 'only URLs of this watch')
    .addOption(only('--not-found', 'only URLs that the last check did not find', 'found', 'unchecked'))
    .addOption(only('--found', 'only URLs that the last check found', 'notFound', 'unchecked'))
    .addOption(only('--unchecked', 'only URLs that were not checked yet', 'found', 'notFound'))
    .action(
      ledgerAction(async (output, { config, ledger }, options: ListFlags) => {
        const watches =
          options.watch === undefined ? selectWatches(config, []) : [getWatch(config.watches, options.watch)];
        const asked = (Object.keys(CHOICES) as (keyof typeof CHOICES)[]).find((flag) => options[flag] === true);
        let urls = 0;
        for (const watch of watches) {
          for await (const state of eachIndexState(ledger, watch.id)) {
            if (asked !== undefined && state.result !== CHOICES[asked]) continue;
            const shown = { ...state, nextCheckAt: findNextCheck(watch, state).at };
            output.record(toIndexStateRecord(shown));
            output.print(formatState(shown, getTimeZone(watch)));
            urls += 1;
          }
        }
        if (urls === 0) output.print('No such URL.');
        else output.print(`${formatCounted(urls, 'URL')}.`);
        return { summary: { urls } };
      }),
    );
}

function formatState({ watch, url, result, checkedAt, misses, nextCheckAt }: IndexState, zone: string): string {
  const said =
    result === null
      ? 'not checked yet'
      : result === 'not-found'
        ? `not found (${formatCounted(misses, 'check')})`
        : result;
  const when = checkedAt === null ? '' : ` on ${formatInstantIn(zone, checkedAt)}`;
  const next = nextCheckAt === null ? 'not checked again' : `next check ${formatInstantIn(zone, nextCheckAt)}`;
  return `${watch}  ${url}  ${said}${when}, ${next}`;
}
