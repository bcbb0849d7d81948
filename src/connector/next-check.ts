import type { Watch } from '../config/config.ts';
import { inSample } from '../submission/check-schedule.ts';

interface Listed {
  readonly url: string;
  /** Whether it is in no sitemap any more. */
  readonly gone: boolean;
  /** As the ledger has it: URLs that no check takes keep their time. */
  readonly nextCheckAt: number | null;
}

/** When a URL is checked next in the index; `at` is null when it is not, and `why` says why, if there is a reason. */
export function findNextCheck(
  watch: Pick<Watch, 'indexCheck'> | undefined,
  { url, gone, nextCheckAt }: Listed,
): { readonly at: number | null; readonly why: string | null } {
  if (nextCheckAt === null) return { at: null, why: null };
  const never = (why: string) => ({ at: null, why });
  if (watch === undefined) return never('its watch is not in the configuration any more');
  if (watch.indexCheck === null) return never('its watch has no index_check');
  if (gone) return never('it is in no sitemap any more');
  if (!inSample(url, watch.indexCheck.sample)) return never('it is not in the sample of index_check');
  return { at: nextCheckAt, why: null };
}
