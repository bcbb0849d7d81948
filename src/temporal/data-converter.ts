import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import { createEncryptionCodec } from './encryption.ts';
import type { TemporalSettings } from './settings.ts';

/** What every client and worker of a configuration is given, so that all of them write and read alike. */
export function createDataConverter({ readEncryption = null }: TemporalSettings): DataConverter {
  const encryption = readEncryption === null ? null : readEncryption();
  if (encryption === null) return {};
  const extension = extname(fileURLToPath(import.meta.url));
  return {
    payloadCodecs: [createEncryptionCodec(encryption)],
    ...(encryption.key === null
      ? {}
      : { failureConverterPath: fileURLToPath(new URL(`encoded-failures${extension}`, import.meta.url)) }),
  };
}
