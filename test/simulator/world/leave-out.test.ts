import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JobTaken } from '../../../src/connector/recover-job.ts';
import type { Reference } from '../../../src/submission/ids.ts';
import { mayLeaveOut } from './leave-out.ts';

const unassigned = (project: string | null): JobTaken => ({
  ...{ kind: 'unassigned', reference: 'sub_1' as Reference, project, sample: null, missingWatch: null },
});

describe('an operator who leaves jobs out', () => {
  test('keeps those of a watch that comes back', () => {
    assert.equal(mayLeaveOut([{ kind: 'known' }, unassigned('Project w0 [sc0123456789abcd]')], new Set(['w0'])), false);
    assert.equal(mayLeaveOut([unassigned('Project w1'), unassigned('Project w0')], new Set(['w0'])), false);
  });

  test('leaves out all others', () => {
    assert.equal(mayLeaveOut([unassigned('Project w1'), unassigned(null)], new Set(['w0'])), true);
    assert.equal(mayLeaveOut([unassigned('Project w0')], new Set()), true);
  });
});
