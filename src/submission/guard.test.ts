import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Change, type GuardPolicy, type GuardReason, guardTrips, renderGuardReason } from './guard.ts';

const guard: GuardPolicy = {
  maxNew: 5000,
  maxNewPercent: 20,
  maxChanged: 2000,
  maxChangedPercent: 50,
  maxGonePercent: 30,
};
const plausible: Change = { newUrls: 10, changed: 0, gone: 0, knownBefore: 1000 };

const rows: { change: Change; rules: string[] }[] = [
  { change: plausible, rules: [] },
  { change: { ...plausible, newUrls: 200 }, rules: [] },
  { change: { ...plausible, newUrls: 201 }, rules: ['max_new_percent'] },
  { change: { ...plausible, newUrls: 5001 }, rules: ['max_new', 'max_new_percent'] },
  { change: { ...plausible, knownBefore: 1_000_000, newUrls: 5001 }, rules: ['max_new'] },
  { change: { ...plausible, changed: 500 }, rules: [] },
  { change: { ...plausible, changed: 501 }, rules: ['max_changed_percent'] },
  { change: { ...plausible, knownBefore: 1_000_000, changed: 2001 }, rules: ['max_changed'] },
  { change: { ...plausible, knownBefore: 5000, changed: 5000 }, rules: ['max_changed', 'max_changed_percent'] },
  { change: { newUrls: 0, gone: 0, knownBefore: 20, changed: 19 }, rules: [] },
  { change: { ...plausible, gone: 300 }, rules: [] },
  { change: { ...plausible, gone: 301 }, rules: ['max_gone_percent'] },
  { change: { newUrls: 4000, changed: 0, gone: 0, knownBefore: null }, rules: [] },
  { change: { newUrls: 1, changed: 0, gone: 0, knownBefore: 0 }, rules: ['max_new_percent'] },
  { change: { newUrls: 0, changed: 40, gone: 40, knownBefore: 0 }, rules: [] },
];

describe('guardTrips', () => {
  for (const { change, rules } of rows) {
    const { newUrls, changed, gone, knownBefore } = change;
    const what = `${newUrls} new, ${changed} changed and ${gone} gone of ${knownBefore}`;
    test(`${what}: ${rules.join(', ') || 'plausible'}`, () => {
      assert.deepEqual(
        guardTrips(change, guard).map(({ code }) => code),
        rules,
      );
    });
  }

  test('a disabled rule never trips', () => {
    const off = { maxNew: null, maxNewPercent: null, maxChanged: null, maxChangedPercent: null, maxGonePercent: null };
    assert.deepEqual(guardTrips({ newUrls: 1e6, changed: 1e6, gone: 1e6, knownBefore: 1e6 }, off), []);
  });
});

describe('renderGuardReason', () => {
  const sentences: [GuardReason, string][] = [
    [{ code: 'max_new', urls: 6_200, limit: 5_000 }, '6,200 new URLs, more than max_new allows (5,000)'],
    [
      { code: 'max_new_percent', urls: 201, known: 1_000, limit: 20 },
      '201 new URLs are 20.1% of the 1,000 known, more than max_new_percent allows (20%)',
    ],
    [
      { code: 'max_new_percent', urls: 15, known: 0, limit: 20 },
      '15 new URLs where none were known, more than max_new_percent allows (20%)',
    ],
    [{ code: 'max_changed', urls: 2_001, limit: 2_000 }, '2,001 changed URLs, more than max_changed allows (2,000)'],
    [
      { code: 'max_changed_percent', urls: 40, known: 40, limit: 50 },
      '40 changed URLs are 100% of the 40 known, more than max_changed_percent allows (50%)',
    ],
    [
      { code: 'max_gone_percent', urls: 12_345, known: 20_000, limit: 30 },
      '12,345 of 20,000 known URLs are gone (61.7%), more than max_gone_percent allows (30%)',
    ],
  ];
  for (const [reason, sentence] of sentences) {
    test(`${reason.code}: "${sentence}"`, () => assert.equal(renderGuardReason(reason), sentence));
  }
});
