import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { DashboardSettings } from '../../settings.ts';
import { SettingsError } from '../../settings-error.ts';

/** Whose dashboard it is. */
export interface Brand {
  /** Null: the name of the product stands there. */
  readonly name: string | null;
  readonly logo: { readonly type: string; readonly bytes: Buffer } | null;
}

const TYPES: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
};
const MAX_LOGO_BYTES = 256 * 1024;

/** Throws a SettingsError when the logo cannot be shown. */
export function readBrand({ name, logoFile }: DashboardSettings): Brand {
  return { name, logo: logoFile === null ? null : readLogo(logoFile) };
}

function readLogo(file: string): NonNullable<Brand['logo']> {
  const refuse = (why: string) =>
    new SettingsError(`The logo ${file} ${why}. Nothing was started; correct dashboard.logo.`);
  const type = TYPES[extname(file).toLowerCase()];
  if (type === undefined) throw refuse(`must end in ${Object.keys(TYPES).join(', ')}`);
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw refuse(`cannot be read: ${(error as Error).message}`);
  }
  if (bytes.length > MAX_LOGO_BYTES) throw refuse(`has more than ${MAX_LOGO_BYTES / 1024} KiB`);
  return { type, bytes };
}
