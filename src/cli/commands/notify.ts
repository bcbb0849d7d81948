import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { EXIT, UsageError } from '../../cli-kit/exit-codes.ts';
import { loadConfig } from '../../config/load.ts';
import { SecretMissingError } from '../../config/secrets.ts';
import { getInstallation } from '../../notify/installation.ts';
import { createTestMessage } from '../../notify/message.ts';
import { createRedactor } from '../../notify/redact.ts';
import { DeliveryError, sendMessage } from '../../notify/send.ts';
import { action } from '../output/command.ts';
import { toTestMessageRecord } from '../output/records/deployment.ts';

export function notifyCommand(command: Command): void {
  configureTest(command.command('test').description('send a test message to every channel, or to one'));
}

/** Sends at once and not through the queue of the worker: a mistake is shown where it is corrected. */
function configureTest(command: Command): void {
  command.argument('[channel]', 'name of the channel; default: all').action(
    action(async (output, { config: file }, name?: string) => {
      const config = loadConfig(file);
      const { channels } = config.notify;
      const names = name === undefined ? [...channels.keys()] : [name];
      if (names.length === 0) throw new UsageError(`${file} has no channels under "notify", so no message was sent.`);
      const redact = createRedactor(config);
      let failed = 0;
      for (const each of names) {
        const channel = channels.get(each);
        if (channel === undefined) {
          const known = [...channels.keys()].join(', ') || 'none';
          throw new UsageError(`No channel is named "${each}", so no message was sent. The channels are: ${known}.`);
        }
        const now = Date.now();
        const failure = await sendMessage(channel, createTestMessage(getInstallation(config), now), {
          id: randomUUID(),
          sentAt: now,
        }).then(
          () => null,
          (error: unknown) => {
            if (error instanceof DeliveryError || error instanceof SecretMissingError) return redact(error.message);
            throw error;
          },
        );
        if (failure !== null) failed += 1;
        output.record(toTestMessageRecord({ channel: each, form: channel.kind, failure }));
        output.print(`${each} (${channel.kind}): ${failure === null ? 'delivered' : `not delivered: ${failure}`}`);
      }
      return { exitCode: failed === 0 ? EXIT.done : EXIT.transient, summary: { sent: names.length - failed, failed } };
    }),
  );
}
