import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { readSettings } from '../../service/cli/config/file.ts';
import { EXIT } from '../../src/cli-kit/exit-codes.ts';
import { ROOT } from '../suites.ts';
import { read } from './files.ts';

const units = globSync('*.{service,timer}', { cwd: join(ROOT, 'deploy/systemd') }).toSorted();
const services = units.filter((unit) => unit.endsWith('.service'));
const noSystemd = spawnSync('systemd-analyze', ['--version']).status !== 0 && 'systemd is not installed';

/** The units in a folder, with a Node that exists here in place of the one that they name. */
function copyUnits(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'courier-units-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const unit of units)
    writeFileSync(join(folder, unit), read(`systemd/${unit}`).replace('/usr/bin/node', process.execPath));
  return folder;
}

describe('the systemd units', () => {
  test('are accepted by systemd without a warning', { skip: noSystemd }, (t) => {
    const folder = copyUnits(t);
    for (const unit of units) {
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(folder, unit)], { encoding: 'utf8' });
      assert.deepEqual([status, stderr], [0, ''], unit);
    }
  });

  test('leave a service that is broken into little to do', { skip: noSystemd }, (t) => {
    const folder = copyUnits(t);
    for (const unit of services) {
      // In tenths: it exits with 1 when the exposure is above.
      const args = ['security', '--offline=true', '--no-pager', '--threshold=20', join(folder, unit)];
      const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
      assert.equal(status, 0, `${unit}\n${stdout}${stderr}`);
    }
  });

  test('the drop-in for HTTPS gives the unit port 443 and its key, and little more', { skip: noSystemd }, (t) => {
    const folder = copyUnits(t);
    const unit = 'courier-service.service';
    const dropIn = read('systemd/courier-service-https.conf');
    mkdirSync(join(folder, `${unit}.d`));
    writeFileSync(join(folder, `${unit}.d`, 'https.conf'), dropIn);
    const analyze = (...args: string[]) =>
      spawnSync('systemd-analyze', [...args, join(folder, unit)], { encoding: 'utf8' });
    const { status, stderr } = analyze('verify');
    assert.deepEqual([status, stderr], [0, '']);
    assert.equal(analyze('security', '--offline=true', '--no-pager', '--threshold=25').status, 0);
    const values = (name: string) =>
      [...dropIn.matchAll(new RegExp(`^${name}=(.+)$`, 'gm'))].map(([, value]) => value!);
    assert.deepEqual(values('CapabilityBoundingSet'), ['CAP_NET_BIND_SERVICE']);
    // As systemd hands them over: %d is the folder of the credentials.
    const credentials = values('LoadCredential').map((each) => `%d/${each.split(':')[0]}`);
    const environment = Object.fromEntries(values('Environment').map((each) => each.split('=') as [string, string]));
    const { tls, port } = readSettings(undefined, environment);
    assert.deepEqual([[tls?.cert_file, tls?.key_file], port], [credentials, 443]);
  });

  test('start the files of the installed package', () => {
    for (const unit of ['courier-worker.service', 'courier-run.service'])
      assert.match(
        read(`systemd/${unit}`),
        /^ExecStart=\S+ --disable-warning=ExperimentalWarning --report-exclude-env \/opt\/courier\/node_modules\/sitemap-courier\/dist\/src\/cli\/main\.js /m,
      );
    assert.match(
      read('systemd/courier-service.service'),
      /^ExecStart=.* \/opt\/courier-service\/node_modules\/sitemap-courier\/dist\/service\/cli\/main\.js serve$/m,
    );
  });

  test('signal the worker alone, so that its local Temporal server outlives it', () => {
    for (const unit of ['courier-worker.service', 'courier-run.service'])
      assert.match(read(`systemd/${unit}`), /^KillMode=mixed$/m);
  });

  test('restart the worker unless its configuration or its ledger is unusable, and the daily run only when there was no response', () => {
    const prevented = (unit: string): number[] =>
      (/^RestartPreventExitStatus=(.*)$/m.exec(read(`systemd/${unit}`))?.[1] ?? '').split(' ').map(Number);
    // A damaged file, too, stays damaged however often the worker is started.
    assert.deepEqual(prevented('courier-worker.service'), [EXIT.usage, EXIT.partial]);
    const { done, transient, changesPending, interrupted, terminated, ...final } = EXIT;
    assert.deepEqual(prevented('courier-run.service'), Object.values(final).toSorted());
  });
});
