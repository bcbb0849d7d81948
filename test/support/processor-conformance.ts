import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { LIMITS } from '../../contract/limits.ts';
import { SERVICE_LEVELS } from '../../contract/states.ts';
import { type Item, type Outcome, type Processor, TryLaterError } from '../../service/processing/processor.ts';

/** How whatever a processor contacts behaves. */
export type Outside = 'accepts' | 'fails' | 'hangs';

export interface ProcessorUnderTest {
  readonly name: string;
  /** A processor for this test. Called again, it opens the same one once more, as after a restart of the service. */
  open(t: TestContext, outside: Outside): Promise<Processor>;
  /** Whether it contacts anybody: only then can that fail or hang. */
  readonly contactsOthers: boolean;
}

const HOSTS = 7;
const toItem = (_: unknown, position: number): Item => ({
  position,
  url: `https://h${position % HOSTS}.example/${position}`,
});
const toItems = (count: number): Item[] => Array.from({ length: count }, toItem);

/** What every processor promises to `processSubmission` and to the customers of the service. */
export function describeProcessor({ name, open, contactsOthers }: ProcessorUnderTest): void {
  describe(name, () => {
    test('has the name that the settings call it by', async (t) => {
      assert.equal((await open(t, 'accepts')).name, name);
    });

    test('plans waits in whole milliseconds for each service level', async (t) => {
      const processor = await open(t, 'accepts');
      for (const service of SERVICE_LEVELS) {
        for (const ms of Object.values(processor.plan(service))) assert.ok(Number.isSafeInteger(ms) && ms >= 0);
      }
    });

    for (const count of [1, 2, 3, 5, 17, 101, LIMITS.submissionUrls]) {
      test(`splits ${count} URLs into 1 to 100 steps that hold each once, the same after a restart`, async (t) => {
        const items = toItems(count);
        const steps = (await open(t, 'accepts')).split(items);
        assert.ok(steps.length >= 1 && steps.length <= 100, `${steps.length} steps`);
        assert.ok(steps.every((step) => step.length > 0));
        assert.deepEqual(
          steps.flat().toSorted((a, b) => a.position - b.position),
          items,
        );
        assert.deepEqual((await open(t, 'accepts')).split(items), steps);
      });
    }

    test('records each URL of a step once, and why where it failed', async (t) => {
      const processor = await open(t, 'accepts');
      const items = toItems(23);
      const recorded: Outcome[] = [];
      for (const step of processor.split(items)) recorded.push(...(await run(processor, step)).recorded);
      assert.deepEqual(listPositions(recorded), listPositions(items));
      for (const { status, reason } of recorded) {
        if (status === 'completed') assert.equal(reason, null);
        else assert.ok(reason !== null && reason !== '');
      }
    });

    test('leaves out what was decided before', async (t) => {
      const processor = await open(t, 'accepts');
      const [step = []] = processor.split(toItems(23));
      const left = step.slice(0, -1).filter((_, index) => index % 2 === 0);
      assert.deepEqual(listPositions((await run(processor, left)).recorded), listPositions(left));
    });

    test('fails where the storage cannot record', async (t) => {
      const [processor, broken] = [await open(t, 'accepts'), new Error('the storage is away')];
      const [step = []] = processor.split(toItems(5));
      const record = () => Promise.reject(broken);
      await assert.rejects(processor.run(step, record, new AbortController().signal), broken);
    });

    if (!contactsOthers) return;

    test('tries later, and decides nothing, while the other side fails', async (t) => {
      const processor = await open(t, 'fails');
      const [step = []] = processor.split(toItems(5));
      const { recorded, error } = await run(processor, step);
      assert.ok(error instanceof TryLaterError, String(error));
      assert.deepEqual(recorded, []);
    });

    test('ends when it is cancelled while the other side hangs, and tries later', async (t) => {
      const processor = await open(t, 'hangs');
      const [step = []] = processor.split(toItems(5));
      const { recorded, error } = await run(processor, step, AbortSignal.timeout(100));
      assert.ok(error instanceof TryLaterError, String(error));
      assert.deepEqual(recorded, []);
    });
  });
}

const listPositions = (list: readonly { readonly position: number }[]): number[] =>
  list.map(({ position }) => position).toSorted((a, b) => a - b);

async function run(processor: Processor, step: readonly Item[], signal = new AbortController().signal) {
  const recorded: Outcome[] = [];
  const error = await processor
    .run(step, async (outcomes) => void recorded.push(...outcomes), signal)
    .then(
      () => null,
      (reason: unknown) => reason,
    );
  return { recorded, error };
}
