import type { RetentionSettings } from '../config/config.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { openArchive } from '../ledger/retention/archive.ts';
import { pruneLedger } from '../ledger/retention/prune.ts';
import type { Logger } from '../observability/log.ts';

/** Removes old details, after they are archived where the configuration says so. */
export async function pruneDetails(
  ledger: Ledger,
  { ages, archive: folder }: RetentionSettings,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const archive = folder === null ? null : openArchive(folder, ledger.now());
  try {
    const pruned = await pruneLedger(ledger, ages, { signal, ...(archive === null ? {} : { archive: archive.keep }) });
    const rows = Object.values(pruned).reduce((sum, each) => sum + each, 0);
    if (rows > 0) log.info({ ...pruned, archive: archive?.file() ?? null }, `${rows} rows of old details were removed`);
  } catch (error) {
    // The worker stops: what is left is removed next time.
    if (!signal.aborted) throw error;
  } finally {
    await archive?.close();
  }
}
