import { SettingsError } from '../settings-error.ts';
import { braveProvider } from './brave.ts';
import type { IndexCheckProvider } from './provider.ts';
import type { IndexCheckSettings } from './settings.ts';
import { simulatedProvider } from './simulated.ts';

/** The provider that the settings name. Throws a SettingsError when its own settings are missing. */
export function openProvider(settings: IndexCheckSettings): IndexCheckProvider {
  if (settings.leaseMs <= settings.timeoutMs) {
    throw new SettingsError(
      'the lease of an index-check must be longer than its timeout, or a charge is restored too early',
    );
  }
  if (settings.provider === 'simulated') return simulatedProvider;
  if (settings.brave === undefined) throw new SettingsError('index-check provider brave needs its endpoint and token');
  return braveProvider(settings.brave);
}
