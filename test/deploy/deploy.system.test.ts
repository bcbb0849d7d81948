import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { listSettings } from '../../service/cli/config/schema.ts';
import { DEFAULT_SETTINGS } from '../../service/settings.ts';
import { ROOT } from '../suites.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const dockerfile = read('deploy/container/Dockerfile');
const unit = read('deploy/systemd/courier-service.service');
const ENTRY = 'service/cli/main.ts';

/** Files that the service loads, found by its imports. */
function findImported(entry: string): string[] {
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
      visit(resolve(dirname(file), path));
    }
  };
  visit(join(ROOT, entry));
  return [...found].map((file) => relative(ROOT, file));
}

describe('the container file and the unit file', () => {
  test('the image holds every file that the service loads, and its build context too', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
      paths.split(' '),
    );
    const context = read('deploy/container/Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'));
    const loaded = [...findImported(ENTRY), ...globSync('service/processing/workflows/*.ts', { cwd: ROOT })];
    assert.ok(loaded.length > 100, 'no imports found: this test would prove nothing');
    for (const file of loaded) {
      assert.ok(
        copied.some((path) => file === path || file.startsWith(`${path}/`)),
        `${file} is not copied`,
      );
    }
    assert.deepEqual(context.map((line) => line.slice(1)).toSorted(), [...new Set(copied)].toSorted());
    for (const path of copied) assert.ok(existsSync(join(ROOT, path)), path);
  });

  test('both start the service as the launcher does, with settings that exist, and leave it the time to stop', () => {
    const launcher = read('bin/courier-service.mjs');
    const [flag = ''] = /--max-semi-space-size=\d+/.exec(launcher) ?? [];
    assert.notEqual(flag, '');
    for (const text of [dockerfile, unit]) {
      assert.ok(text.includes(flag) && text.includes(ENTRY));
      const known = listSettings().map(({ variable }) => variable);
      for (const [name] of text.matchAll(/COURIER_SERVICE_\w+/g)) assert.ok(known.includes(name), name);
    }
    const seconds = Number(/TimeoutStopSec=(\d+)/.exec(unit)?.[1]);
    assert.ok(seconds * 1_000 >= DEFAULT_SETTINGS.stopMs + 5_000);
  });

  const noSystemd = spawnSync('systemd-analyze', ['--version']).status !== 0 && 'systemd is not installed';
  test('systemd accepts the unit', { skip: noSystemd }, (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'courier-unit-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'courier-service.service');
    // The program that it names is not installed everywhere.
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });
});
