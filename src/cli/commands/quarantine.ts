import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandError, EXIT, UsageError } from '../../cli-kit/exit-codes.ts';
import { listQuarantined, type QuarantineScope, releaseQuarantined, releaseUrl } from '../../ledger/jobs/quarantine.ts';
import type { BatchId, WatchId } from '../../submission/ids.ts';
import { formatCounted } from '../output/format.ts';
import { toQuarantinedRecord, toReleasedRecord } from '../output/records/url-history.ts';
import { parseUrlArgument } from '../url-argument.ts';
import { getWatch, ledgerAction } from '../with-ledger.ts';

const PAGE = 1_000;

export function quarantineCommand(command: Command): void {
  configureList(command.command('list').description('list every URL in quarantine, with the reason'));
  configureRelease(command.command('release').description('release URLs: the next run submits each of them once more'));
}

function configureList(command: Command): void {
  command.option('--watch <watch>', 'only URLs of this watch').action(
    ledgerAction(async (output, { ledger, config }, { watch }: { watch?: string }) => {
      const filter = watch === undefined ? {} : { watch: getWatch(config.watches, watch).id };
      let count = 0;
      for (;;) {
        const page = await listQuarantined(ledger, { ...filter, limit: PAGE, offset: count });
        for (const each of page) {
          output.record(toQuarantinedRecord(each));
          output.print(`${each.url}  ${each.watch}  ${each.reason}`);
        }
        count += page.length;
        if (page.length < PAGE) break;
      }
      if (count === 0) output.print('No URL is in quarantine.');
      return { summary: { quarantined: count } };
    }),
  );
}

function configureRelease(command: Command): void {
  command
    .argument('<watch>', 'name of the watch')
    .argument('[url...]', 'the whole URLs')
    .addOption(
      new Option('--batch <batch>', 'all URLs of this batch and of its parts')
        .argParser(parseBatch)
        .conflicts(['reason', 'all']),
    )
    .addOption(
      new Option('--reason <reason>', 'all URLs with this reason, as "courier quarantine list" shows it').conflicts(
        'all',
      ),
    )
    .option('--all', 'all URLs of the watch')
    .action(
      ledgerAction(async (output, { ledger, config }, name: string, locs: string[], options: ReleaseFlags) => {
        const watch = getWatch(config.watches, name);
        const scope = toScope(locs, options);
        if (scope !== null) {
          const released = await releaseQuarantined(ledger, watch.id, scope);
          if (released === 0) throw nothingReleased(watch.id);
          output.print(
            `${formatCounted(released, 'URL')} released. The next run of ${watch.id} submits each once more.`,
          );
          return { summary: { released } };
        }
        const urls = locs.map(parseUrlArgument);
        const missing: string[] = [];
        for (const url of urls) {
          const released = await releaseUrl(ledger, watch.id, url);
          output.record(toReleasedRecord({ watch: watch.id, url, released }));
          if (released) output.print(`${url} is released. The next run of ${watch.id} submits it once more.`);
          else missing.push(url);
        }
        if (missing.length > 0) {
          throw new CommandError(
            missing.length === urls.length ? EXIT.usage : EXIT.partial,
            `Not in quarantine for ${watch.id}: ${missing.join(', ')}. Nothing was changed for them or charged. ` +
              '"courier quarantine list" shows the URLs that are.',
          );
        }
        return { summary: { released: urls.length } };
      }),
    );
}

interface ReleaseFlags {
  readonly batch?: BatchId;
  readonly reason?: string;
  readonly all?: boolean;
}

/** What to release together; null when URLs are named. */
function toScope(urls: readonly string[], flags: ReleaseFlags): QuarantineScope | null {
  const scope = toFlagScope(flags);
  if ((scope === null) === urls.length > 0) return scope;
  throw new UsageError(
    'Name URLs, or pass one of --batch BATCH, --reason REASON or --all. Nothing was changed or charged.',
  );
}

function toFlagScope({ batch, reason, all }: ReleaseFlags): QuarantineScope | null {
  if (batch !== undefined) return { kind: 'batch', batch };
  if (reason !== undefined) return { kind: 'reason', reason };
  return all === true ? { kind: 'all' } : null;
}

function parseBatch(text: string): BatchId {
  if (/^\d{1,15}$/.test(text)) return Number(text) as BatchId;
  throw new InvalidArgumentError('Give the number of a batch, as "courier batches list" shows it.');
}

const nothingReleased = (watch: WatchId) =>
  new UsageError(
    `No URL of ${watch} is in quarantine for that. Nothing was changed or charged. ` +
      '"courier quarantine list" shows those that are.',
  );
