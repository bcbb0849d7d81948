import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DeploymentVersion } from '../temporal/version-status.ts';
import { DUTIES, type Duty } from '../temporal-api/duties.ts';
import { explainWorkers } from './explain-builds.ts';
import { listMissingDuties, type Workers } from './find-workers.ts';

const toBuild = (build: string): DeploymentVersion => ({ deployment: 'courier', build });

/** Workers of these builds (null: without one), each with its duties, while a build is current. */
function toWorkers(
  current: string | null,
  polling: readonly (readonly [build: string | null, duties: readonly Duty[]])[],
): Workers {
  return new Map(
    DUTIES.map((duty) => {
      const builds = polling.filter(([, duties]) => duties.includes(duty)).map(([build]) => build);
      const pollers = builds.map((build) => ({
        identity: `1@${build}`,
        version: build === null ? null : toBuild(build),
      }));
      return [duty, { pollers, current: current === null ? null : toBuild(current) }];
    }),
  );
}

const ACTIVITIES = DUTIES.filter((duty) => duty !== 'workflows');

describe('who takes what begins now', () => {
  const cases: readonly (readonly [what: string, workers: Workers, problem: RegExp | null, next: string | null])[] = [
    ['a worker without a build, and none is current', toWorkers(null, [[null, DUTIES]]), null, null],
    ['a worker of the current build', toWorkers('2', [['2', DUTIES]]), null, null],
    ['no worker at all', toWorkers(null, []), /^no worker of this ledger is running$/, 'start "courier worker"'],
    [
      'a build that was never promoted',
      toWorkers(null, [['2', DUTIES]]),
      /^no build is current, so nothing begins, .* nothing is charged; workers poll as build 2 of courier$/,
      'courier deployments promote courier 2',
    ],
    [
      'only a build that is not current',
      toWorkers('2', [['1', DUTIES]]),
      /^no worker of build 2 of courier is running, and it is current, so nothing begins.*; workers poll as build 1/,
      'start "courier worker --deployment courier --build 2", or send the work to the others: courier deployments promote courier 1',
    ],
    [
      'only a worker without a build, while one is current',
      toWorkers('2', [[null, DUTIES]]),
      /^no worker of build 2 of courier is running/,
      'start "courier worker --deployment courier --build 2"',
    ],
    [
      'a duty of the current build that only another build does',
      toWorkers('2', [
        ['1', DUTIES],
        ['2', DUTIES.filter((duty) => duty !== 'crawl')],
      ]),
      /^no worker of build 2 of courier, which is current, does crawl$/,
      'start "courier worker --duty crawl --deployment courier --build 2"',
    ],
  ];
  for (const [what, workers, problem, next] of cases)
    test(`${what}: ${problem === null ? 'all is well' : 'says what is missing, and what to start'}`, () => {
      const found = explainWorkers(workers);
      assert.equal(found?.next ?? null, next);
      if (problem === null) assert.equal(found, null);
      else assert.match(found?.problem ?? '', problem);
    });

  test('activities that never had a build are done by workers without one, workflows of a build never are', () => {
    const workers = new Map(toWorkers(null, [[null, DUTIES]]));
    assert.deepEqual(listMissingDuties(workers, toBuild('1')), ['workflows']);
    assert.deepEqual(listMissingDuties(toWorkers('2', [[null, ACTIVITIES]]), toBuild('1')), [...DUTIES]);
  });
});
