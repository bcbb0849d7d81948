import type { Command } from 'commander';
import { CommandError, EXIT } from '../../cli-kit/exit-codes.ts';
import { listQuarantined, releaseUrl } from '../../ledger/jobs/quarantine.ts';
import { action } from '../output/command.ts';
import { toQuarantinedRecord, toReleasedRecord } from '../output/records/url-history.ts';
import { getWatch, withLedger } from '../with-ledger.ts';
import { parseUrlArgument } from './ledger.ts';

const PAGE = 1_000;

export function quarantineCommand(command: Command): void {
  configureList(command.command('list').description('list every URL in quarantine, with the reason'));
  configureRelease(command.command('release').description('release URLs: the next run submits each of them once more'));
}

function configureList(command: Command): void {
  command.option('--watch <watch>', 'only URLs of this watch').action(
    action((output, flags, { watch }: { watch?: string }) =>
      withLedger(flags, async ({ ledger, config }) => {
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
        return { exitCode: EXIT.done, summary: { quarantined: count } };
      }),
    ),
  );
}

function configureRelease(command: Command): void {
  command
    .argument('<watch>', 'name of the watch')
    .argument('<url...>', 'the whole URLs')
    .action(
      action((output, flags, name: string, locs: string[]) =>
        withLedger(flags, async ({ ledger, config }) => {
          const watch = getWatch(config.watches, name);
          const urls = locs.map(parseUrlArgument);
          const missing: string[] = [];
          for (const url of urls) {
            const released = await releaseUrl(ledger, watch.id, url);
            output.record(toReleasedRecord(watch.id, url, released));
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
          return { exitCode: EXIT.done, summary: { released: urls.length } };
        }),
      ),
    );
}
