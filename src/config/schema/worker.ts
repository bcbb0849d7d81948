import { Type } from '../../json-schema/type.ts';
import { closed } from './values.ts';

const Slots = (minimum: number, byDefault: number, example: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum: 10_000, description, default: byDefault, examples: [example] }));

const Share = (byDefault: number, example: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description, default: byDefault, examples: [example] }));

export const Worker = Type.Object(
  {
    slots: Type.Optional(
      Type.Object(
        {
          workflows: Slots(2, 40, 20, 'Steps of workflows. Each takes milliseconds of the processor.'),
          crawl: Slots(1, 200, 50, 'Crawls, comparisons and plans.'),
          submit: Slots(
            2,
            200,
            400,
            'Submissions, and waits for money, keys and batches. An account needs one, and so does each run that waits.',
          ),
          track: Slots(
            1,
            200,
            100,
            'Polls. An account whose service is slow keeps about thirty; the rest is left to the others.',
          ),
          check: Slots(1, 50, 20, 'Index-checks.'),
        },
        { ...closed, description: 'How many activities of each duty a worker runs at once.' },
      ),
    ),
    adaptive_crawls: Type.Optional(
      Type.Object(
        {
          minimum: Slots(
            1,
            24,
            8,
            'Crawls that start whatever the host has left. With `slots.crawl` or more, all of them do.',
          ),
          memory_percent: Share(80, 70, 'Of the memory of the host or its container: above it no more crawls start.'),
          processor_percent: Share(90, 75, 'The same of its processor time.'),
        },
        {
          ...closed,
          description:
            'Crawls beyond a minimum start only while the host has memory and processor time left. A worker that starts with no more watches than the minimum begins no others.',
        },
      ),
    ),
    pollers: Slots(
      2,
      4,
      8,
      'Requests for work that wait at the Temporal server, for each task queue and kind of task.',
    ),
    cached_workflows: Slots(
      10,
      300,
      1_000,
      'Workflows that stay in memory between their steps, about 0.4 MB each. One that does not is rebuilt from its history.',
    ),
  },
  {
    ...closed,
    description: 'Limits of each worker process. A change is in force after the worker is restarted.',
  },
);
