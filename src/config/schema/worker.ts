import { Type } from '../../json-schema/type.ts';
import { group } from './values.ts';

const Slots = (minimum: number, byDefault: number, example: number, description: string) =>
  Type.Integer({ minimum, maximum: 10_000, description, default: byDefault, examples: [example] });

const Share = (byDefault: number, example: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 100, description, default: byDefault, examples: [example] });

export const Worker = group('Limits of each worker process. A change needs a restart.', {
  slots: group('Activities of each duty at once.', {
    workflows: Slots(2, 40, 20, 'Steps of workflows. Each takes milliseconds of the processor.'),
    crawl: Slots(1, 200, 50, 'Crawls, comparisons and plans.'),
    submit: Slots(
      2,
      200,
      400,
      'Submissions, and waits for money, keys and batches: one for each account and each run that waits.',
    ),
    track: Slots(1, 200, 100, 'Polls. A slow account keeps about thirty at most.'),
    check: Slots(1, 50, 20, 'Index-checks.'),
  }),
  adaptive_crawls: group(
    'Crawls beyond a minimum start only while the host has memory and processor time left. A worker that starts with no more ' +
      'watches than the minimum begins no others.',
    {
      minimum: Slots(
        1,
        24,
        8,
        'Crawls that start whatever the host has left; all of them, with `slots.crawl` or more.',
      ),
      memory_percent: Share(80, 70, 'Of the memory of host or container: above it no more crawls start.'),
      processor_percent: Share(90, 75, 'The same for its processor time.'),
    },
  ),
  pollers: Slots(2, 4, 8, 'Requests for work at the Temporal server, for each task queue and kind of task.'),
  cached_workflows: Slots(
    10,
    300,
    1_000,
    'Workflows kept in memory between their steps, about 0.4 MB each. Others are rebuilt from their history.',
  ),
});
