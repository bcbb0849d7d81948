import { SettingsError } from '../settings-error.ts';
import { indexNowProcessor } from './indexnow.ts';
import type { Processor } from './processor.ts';
import type { ProcessingSettings } from './settings.ts';
import { simulatedProcessor } from './simulated.ts';

/** The processor that the settings name. Throws a SettingsError when its own settings are missing. */
export function openProcessor(settings: ProcessingSettings): Processor {
  switch (settings.processor) {
    case 'simulated':
      return simulatedProcessor(settings.simulated);
    case 'indexnow':
      if (settings.indexnow === undefined)
        throw new SettingsError('the indexnow processor needs processing.indexnow with an endpoint and a key');
      return indexNowProcessor(settings.indexnow);
  }
}
