import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkQuiet, checkTold, type StatusProblem, type Waiting } from './reported-rule.ts';

const NAMED: readonly (Waiting & { readonly problem: string })[] = [
  {
    kind: 'held',
    subject: 'w0',
    what: 'watch/w0/run-2',
    problem:
      'a guard holds this run: 40 URLs, 10.00 TRY (40 of 100 are gone). Decide: courier approve watch/w0/run-2   or   courier reject watch/w0/run-2',
  },
  { kind: 'in review', subject: 'main', what: 'batch 3', problem: '1 batch needs review: courier batches list' },
  { kind: 'in doubt', subject: 'main', what: 'batch 3', problem: '2 batches without a known outcome since 10:00' },
  { kind: 'overdue', subject: 'main', what: 'sub_1', problem: 'job sub_1 (batch 3 of w0, 5 URLs) is still queued' },
];

describe('what waits', () => {
  for (const { problem, ...waiting } of NAMED) {
    test(`${waiting.kind}: is named of its own subject`, () => {
      const found: string[] = [];
      const ask = (reported: readonly StatusProblem[]) => checkTold([waiting], reported, (text) => found.push(text));
      ask([{ subject: waiting.subject, problem }]);
      assert.deepEqual(found, []);
      ask([{ subject: 'other', problem }]);
      ask([{ subject: waiting.subject, problem: 'no run has finished yet' }]);
      assert.equal(found.length, 2);
    });
  }

  test('a held run is named by its own name', () => {
    const found: string[] = [];
    const reported = [
      { subject: 'w0', problem: 'a guard holds this run: 1 URL, 0.25 TRY (…). End it: courier reject watch/w0/run-20' },
    ];
    checkTold([{ kind: 'held', subject: 'w0', what: 'watch/w0/run-2' }], reported, (text) => found.push(text));
    assert.equal(found.length, 1);
  });
});

test('where nothing is left to do, an account needs nobody, and a watch may', () => {
  const found: string[] = [];
  const reported = [
    { subject: 'w0', problem: 'the last run failed' },
    { subject: 'main', problem: 'it sends nothing: insufficient balance' },
  ];
  checkQuiet(reported, new Set(['main']), (text) => found.push(text));
  assert.equal(found.length, 1);
  assert.match(found[0]!, /insufficient balance/);
  const causes: (string | undefined)[] = [];
  const refused = [
    { subject: 'main', problem: 'the service rejects the key: unauthorized' },
    { subject: 'main', problem: 'it sends nothing: the list of jobs cannot be read (status 500)' },
    { subject: 'main', problem: 'it sends nothing: insufficient balance' },
  ];
  checkQuiet(refused, new Set(['main']), (_text, about) => causes.push(about?.cause));
  assert.deepEqual(causes, ['needs nobody, key', 'needs nobody, list', 'needs nobody']);
});
