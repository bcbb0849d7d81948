import { createRequire } from 'node:module';
import { type DestinationStream, destination, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';

export type { Logger } from 'pino';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'silent';

interface Written {
  readonly msg?: string;
  readonly error?: { readonly message?: string };
  readonly err?: { readonly message?: string };
}

/** The sentence, and the message of an error: the other fields are for machines. */
const PRETTY = {
  hideObject: true,
  ignore: 'pid,hostname,name',
  translateTime: 'SYS:yyyy-mm-dd HH:MM:ss',
  messageFormat: ({ msg = '', error, err }: Written) => {
    const reason = error?.message ?? err?.message ?? '';
    return msg.includes(reason) ? msg : `${msg}: ${reason}`;
  },
} as const;

/** Headers that carry secrets, anywhere in a log record. */
const SECRET_PATHS = ['authorization', 'Authorization', 'x-api-key', 'cookie', 'apiKey', 'api_key'];

/**
 * Logs go to stderr: one JSON object per line, or a readable line on a terminal; stdout is for data. Secrets are removed by name as a second line of
 * defence; the first is never to log them.
 */
export function createLogger(level: LogLevel, name: string, isTerminal = process.stderr.isTTY === true): Logger {
  return pino(
    {
      level,
      name,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // The SDK logs a failure as `error`: without a serializer its message, which is not enumerable, would be missing.
      serializers: { err: stdSerializers.err, error: stdSerializers.err },
      redact: {
        paths: SECRET_PATHS.flatMap((path) => [`["${path}"]`, `*["${path}"]`, `*.headers["${path}"]`]),
        censor: '[secret]',
      },
    },
    isTerminal ? openPretty() : openStderr(),
  );
}

/** What is kept of a log that cannot be written, such as on a full disk, until it can again. */
const KEPT_BYTES = 1024 * 1024;

let isWritable = true;

/** Whether the last line of the log could be written. */
export const isLogWritable = (): boolean => isWritable;

/** A worker goes on without its log: what it buys is in the ledger. */
function openStderr(): DestinationStream {
  return destination({ fd: 2, sync: true, maxLength: KEPT_BYTES })
    .on('error', () => {
      isWritable = false;
    })
    .on('write', () => {
      isWritable = true;
    });
}

/** Loaded only for a terminal. */
function openPretty(): DestinationStream {
  const pretty = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty');
  return pretty({ ...PRETTY, destination: 2, sync: true });
}
