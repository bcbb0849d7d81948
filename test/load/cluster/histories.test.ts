import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countActions } from './histories.ts';

describe('the actions of a history', () => {
  test('are the start, every attempt of an activity, timers, signals and changed search attributes', () => {
    const upsert = (name: string) => ({
      eventType: 40,
      upsertWorkflowSearchAttributesEventAttributes: { searchAttributes: { indexedFields: { [name]: {} } } },
    });
    const events = [
      { eventType: 1 },
      { eventType: 2 },
      { eventType: 12, activityTaskStartedEventAttributes: { attempt: 3 } },
      { eventType: 17 },
      { eventType: 26 },
      { eventType: 25 },
      upsert('TemporalChangeVersion'),
      upsert('CourierPhase'),
    ];
    assert.equal(countActions(events), 7);
  });
});
