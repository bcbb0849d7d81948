import { LIMITS } from '../../contract/limits.ts';
import { SettingsError } from '../settings-error.ts';
import { ANSWER_MS, braveProvider } from './brave.ts';
import type { IndexCheckProvider } from './provider.ts';
import type { IndexCheckSettings } from './settings.ts';
import { SETTLE_MS } from './settle.ts';
import { simulatedProvider } from './simulated.ts';

/** The provider that the settings name. Throws a SettingsError when they cannot work. */
export function openProvider(settings: IndexCheckSettings): IndexCheckProvider {
  const { leaseMs, timeoutMs, brave } = settings;
  if (leaseMs <= timeoutMs + SETTLE_MS) {
    throw new SettingsError(
      `index_check.lease_ms (${leaseMs}) must be more than timeout_ms and ${SETTLE_MS} (${timeoutMs + SETTLE_MS}), ` +
        'or the charge of a check that still runs is restored',
    );
  }
  if (settings.provider === 'simulated') return simulatedProvider;
  if (brave === undefined)
    throw new SettingsError('the brave provider needs index_check.brave with an endpoint and a token');
  const neededMs = (LIMITS.indexCheckUrls / brave.perSecond) * 1_000 + ANSWER_MS;
  if (timeoutMs < neededMs) {
    throw new SettingsError(
      `a check of ${LIMITS.indexCheckUrls} URLs takes ${neededMs} ms at ${brave.perSecond} queries a second, longer ` +
        `than index_check.timeout_ms (${timeoutMs}): raise timeout_ms and lease_ms, or per_second if your plan allows it`,
    );
  }
  return braveProvider(brave);
}
