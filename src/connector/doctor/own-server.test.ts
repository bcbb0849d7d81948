import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { findBinarySource } from '../../temporal/server-binary.ts';
import { describeOwnServer } from './check-temporal.ts';

const NAMES = ['PATH', 'HOME', 'XDG_CACHE_HOME', 'GOBIN', 'GOPATH', 'TEMPORAL_CLI'];

describe('the Temporal server that a command would start', () => {
  const before = NAMES.map((name) => [name, process.env[name]] as const);
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'courier-binary-'));
    for (const name of NAMES) delete process.env[name];
    Object.assign(process.env, { PATH: folder, HOME: folder });
  });
  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    rmSync(folder, { recursive: true });
  });
  const find = () => describeOwnServer(findBinarySource());

  test('is the one that is installed', () => {
    writeFileSync(join(folder, 'temporal'), '', { mode: 0o755 });
    const { level, message } = find();
    assert.equal(level, 'warn');
    assert.doesNotMatch(message, /fetch|cannot/);
  });
  test('is fetched by the first run that buys', () => {
    const { level, message } = find();
    assert.equal(level, 'warn');
    assert.ok(message.includes(`fetches one to ${join(folder, '.cache')}`), message);
  });
  test('is none where none can be kept: a run with news would fail', { skip: process.platform !== 'linux' }, () => {
    process.env.XDG_CACHE_HOME = '/proc/nowhere';
    const { level, message, next } = find();
    assert.equal(level, 'fail');
    assert.match(message, /cannot start one: no Temporal CLI is installed, and none can be kept: .*\/proc\/nowhere/);
    assert.match(next ?? '', /XDG_CACHE_HOME/);
    process.env.TEMPORAL_CLI = join(folder, 'missing');
    assert.match(find().message, /TEMPORAL_CLI names .*missing, which cannot be run/);
  });
});
