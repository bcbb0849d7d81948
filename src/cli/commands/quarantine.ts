import { Command } from 'commander';
import { CommandError, EXIT } from '../../cli-kit/exit-codes.ts';
import { listQuarantined, releaseUrl } from '../../ledger/jobs/quarantine.ts';
import { action } from '../output/command.ts';
import { getWatch, withLedger } from '../with-ledger.ts';
import { parseUrlArgument } from './ledger.ts';

const PAGE = 1_000;

export function quarantineCommand(): Command {
  return new Command('quarantine')
    .description('URLs that are not bought again until a person releases them')
    .addCommand(listCommand())
    .addCommand(releaseCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description('every URL in quarantine, with the reason')
    .option('--watch <watch>', 'only of this watch')
    .action(
      action((output, flags, { watch }: { watch?: string }) =>
        withLedger(flags, async ({ ledger, config }) => {
          const filter = watch === undefined ? {} : { watch: getWatch(config.watches, watch).id };
          let count = 0;
          for (;;) {
            const page = await listQuarantined(ledger, { ...filter, limit: PAGE, offset: count });
            for (const each of page) {
              output.record({ type: 'quarantined', ...each });
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

function releaseCommand(): Command {
  return new Command('release')
    .description('let URLs out: the next run buys each of them once more')
    .argument('<watch>')
    .argument('<url...>')
    .action(
      action((output, flags, name: string, locs: string[]) =>
        withLedger(flags, async ({ ledger, config }) => {
          const watch = getWatch(config.watches, name);
          const urls = locs.map(parseUrlArgument);
          const missing: string[] = [];
          for (const url of urls) {
            const released = await releaseUrl(ledger, watch.id, url);
            output.record({ type: 'released', watch: watch.id, url, released });
            if (released) output.print(`${url} is out of quarantine. The next run of ${watch.id} plans it once more.`);
            else missing.push(url);
          }
          if (missing.length > 0) {
            throw new CommandError(
              missing.length === urls.length ? EXIT.usage : EXIT.partial,
              `Not in quarantine for ${watch.id}: ${missing.join(', ')}. Nothing was changed for them or charged. ` +
                '"courier quarantine list" names those that are.',
            );
          }
          return { exitCode: EXIT.done, summary: { released: urls.length } };
        }),
      ),
    );
}
