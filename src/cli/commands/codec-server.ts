import { type Command, InvalidArgumentError } from 'commander';
import { EXIT, UsageError } from '../../cli-kit/exit-codes.ts';
import { loadConfig } from '../../config/load.ts';
import { toTemporalSettings } from '../../connector/temporal-server.ts';
import { createLogger } from '../../observability/log.ts';
import { openCodecServer } from '../../temporal/codec-server.ts';
import { createEncryptionCodec } from '../../temporal/encryption.ts';
import { action } from '../output/command.ts';
import { toListeningRecord } from '../output/records/deployment.ts';

interface CodecServerFlags {
  readonly host: string;
  readonly port: number;
  readonly origin: readonly string[];
}

/** Where the Web UI of a local server usually is. */
const LOCAL_WEB_UI = ['http://127.0.0.1:8233', 'http://localhost:8233'];

/** Decrypts for the Web UI until a signal ends it. */
export function codecServerCommand(command: Command): void {
  command
    .option('--host <address>', 'address to listen on; whoever reaches it can decrypt', '127.0.0.1')
    .option('--port <number>', 'port to listen on', parsePort, 8_081)
    .option('--origin <origin...>', 'origins of the Web UIs that may ask', LOCAL_WEB_UI)
    .action(
      action(async (output, { config: file }, { host, port, origin: origins }: CodecServerFlags) => {
        const { readEncryption } = toTemporalSettings(loadConfig(file));
        if (readEncryption === null || readEncryption === undefined)
          throw new UsageError(
            `${file} has no temporal.encryption, so there is nothing to decrypt. Nothing was started.`,
          );
        const log = createLogger(output.quiet ? 'error' : 'info', 'courier');
        const codec = createEncryptionCodec(readEncryption());
        const onError = (error: unknown) => log.error({ error }, 'a request to the codec server failed');
        const server = await openCodecServer({ codec, host, port, origins, onError }).catch((error: unknown) => {
          const { message } = error as Error;
          throw new UsageError(`The port cannot be used (${message}). Nothing was started. Give another --port.`);
        });
        // Before the record: whoever reads it may send a signal at once.
        const signaled = new Promise<typeof EXIT.interrupted | typeof EXIT.terminated>((resolve) => {
          process.once('SIGINT', () => resolve(EXIT.interrupted));
          process.once('SIGTERM', () => resolve(EXIT.terminated));
        });
        output.record(toListeningRecord({ url: server.url }));
        output.say(`The codec server listens on ${server.url} for pages of ${origins.join(', ')}. Ctrl-C ends it.`);
        const exitCode = await signaled;
        await server.close();
        return { exitCode };
      }),
    );
}

function parsePort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('It is not a port: a number from 0 (any free one) to 65535.');
}
