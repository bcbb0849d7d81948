import { randomUUID } from 'node:crypto';
import { linkSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../files/make-folder.ts';
import { formatDay } from '../submission/instant.ts';

/** What the file of a day is called, and how old ones are recognised. */
export const getReportName = (at: number): string => `courier-report-${formatDay(at)}.html`;
const REPORT_NAME = /^courier-report-\d{4}-\d{2}-\d{2}\.html$/;

/** A report names URLs and money: only its owner may read it. */
const PRIVATE = { mode: 0o600 } as const;

/**
 * Writes a file whole or not at all. Throws an error with code EEXIST when it is there and may not be replaced.
 */
export function writeWhole(file: string, text: string, { replace }: { readonly replace: boolean }): void {
  const part = `${file}.${randomUUID().slice(0, 8)}.new`;
  try {
    writeFileSync(part, text, { ...PRIVATE, flag: 'wx' });
    if (replace) renameSync(part, file);
    else linkSync(part, file);
  } finally {
    rmSync(part, { force: true });
  }
}

/** Writes the report of a day into a folder, in place of an earlier one of that day, and keeps the last `keep` days. */
export function keepReport(
  folder: string,
  text: string,
  { at, keep }: { readonly at: number; readonly keep: number },
): string {
  makeFolder(folder);
  const file = join(folder, getReportName(at));
  writeWhole(file, text, { replace: true });
  const names = readdirSync(folder).filter((name) => REPORT_NAME.test(name));
  for (const name of names.sort().toReversed().slice(keep)) rmSync(join(folder, name), { force: true });
  return file;
}
