import { destination, type Logger, pino, stdSerializers } from 'pino';

export type { Logger } from 'pino';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'silent';

/** Headers that carry secrets, anywhere in a log record. */
const SECRET_PATHS = ['authorization', 'Authorization', 'x-api-key', 'cookie', 'apiKey', 'api_key'];

/**
 * Logs go to stderr, one JSON object per line: stdout is for data. Secrets are removed by name as a second line of
 * defence; the first is never to log them.
 */
export function createLogger(level: LogLevel, name: string): Logger {
  return pino(
    {
      level,
      name,
      // The SDK logs a failure as `error`: without a serializer its message, which is not enumerable, would be missing.
      serializers: { err: stdSerializers.err, error: stdSerializers.err },
      redact: {
        paths: SECRET_PATHS.flatMap((path) => [`["${path}"]`, `*["${path}"]`, `*.headers["${path}"]`]),
        censor: '[secret]',
      },
    },
    destination({ fd: 2, sync: true }),
  );
}
