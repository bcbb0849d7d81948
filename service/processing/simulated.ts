import type { Processor } from './processor.ts';
import type { ProcessingSettings } from './settings.ts';

const STEPS = 4;

/**
 * Deterministic by URL, at set speeds: a path that holds `~fail` fails, every other URL completes. It contacts nobody.
 * A third of the time passes queued, the rest in up to four steps.
 */
export function simulatedProcessor({ fastMs, standardMs }: ProcessingSettings['simulated']): Processor {
  return {
    name: 'simulated',
    plan(service) {
      const total = service === 'fast' ? fastMs : standardMs;
      const queuedMs = Math.floor(total / 3);
      return { queuedMs, stepMs: Math.floor((total - queuedMs) / STEPS) };
    },
    split(items) {
      const size = Math.ceil(items.length / STEPS);
      return Array.from({ length: Math.ceil(items.length / size) }, (_, step) =>
        items.slice(step * size, (step + 1) * size),
      );
    },
    run: (items, record) =>
      record(
        items.map(({ position, url }) =>
          url.includes('~fail')
            ? { position, status: 'failed', reason: 'simulated failure: the URL holds ~fail' }
            : { position, status: 'completed', reason: null },
        ),
      ),
  };
}
