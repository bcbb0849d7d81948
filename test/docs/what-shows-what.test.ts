/** The table of docs/guides/monitoring.md: each cell exists, and each row names the tests that show it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { EXIT } from '../../src/cli-kit/exit-codes.ts';
import { CHECKS } from '../../src/connector/doctor/finding.ts';
import { createWorkerMetrics } from '../../src/metrics/worker-metrics.ts';
import { ROOT } from '../suites.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Where each row is tried: a file, and a test of it. */
const TRIED: Readonly<Record<string, readonly (readonly [file: string, test: string])[]>> = {
  'Temporal away': [
    ['test/e2e/builds.test.ts', 'is a problem of status and of status --check, with exit code 5'],
    ['src/connector/watch-builds.test.ts', 'a server that is away or refuses is in the metrics'],
    ['src/temporal/fold-retries.test.ts', 'an outage of the Temporal server is one line'],
  ],
  'Temporal full, refuses': [
    ['test/e2e/trouble.test.ts', 'a Temporal server that refuses requests: doctor and status --check say so'],
    ['src/connector/watch-builds.test.ts', 'a server that is away or refuses is in the metrics'],
  ],
  'build without worker': [
    ['test/e2e/builds.test.ts', 'its open runs are named with since when and both ways out'],
    ['src/connector/watch-builds.test.ts', 'a build without workers is logged once and in the metrics'],
  ],
  'no worker, its port taken': [
    ['test/e2e/trouble.test.ts', 'a port of the listener that is taken: the worker ends with 5'],
    ['src/cli/commands/operating.system.test.ts', 'exits with the code of the worst problem'],
  ],
  'Postgres away': [
    ['src/metrics/worker-metrics.test.ts', 'a ledger that cannot be read shows that'],
    ['src/connector/watch-ledger.test.ts', 'that cannot be written for a minute is reported once'],
  ],
  'disk full; ledger read-only, locked': [
    ['src/cli/commands/full-disk.system.test.ts', 'sees it, also while every watch is well'],
    ['src/connector/watch-ledger.test.ts', 'that cannot be written for a minute is reported once'],
  ],
  'ledger damaged, replaced': [
    ['src/cli/commands/full-disk.system.test.ts', 'is one finding of doctor, which looks at the rest all the same'],
    ['test/e2e/vanished-ledger.test.ts', 'is not ready, buys nothing more, and ends with 3'],
  ],
  'ledger an old copy': [
    ['src/notify/notify.test.ts', 'a held account names the command that recovers it'],
    ['src/metrics/worker-metrics.test.ts', 'a stopped account is shown by its reason'],
  ],
  'service away': [
    ['src/cli/commands/doctor.system.test.ts', 'exits with 5 while the service does not respond'],
    ['src/observability/event-log.test.ts', 'an outage is one line and its end another'],
  ],
  'key rejected': [
    ['src/cli/commands/doctor.system.test.ts', 'exits with 6 for a refused key'],
    ['src/cli/commands/operating.system.test.ts', 'exits with the code of the worst problem'],
    ['src/observability/event-log.test.ts', 'a rejected key is an error'],
  ],
  'key file gone': [
    ['src/cli/commands/operating.system.test.ts', 'is a problem with the code of a configuration that you correct'],
    ['src/observability/log.system.test.ts', 'a failure that the SDK logs keeps its message and its class'],
  ],
  'balance low': [['src/observability/event-log.test.ts', 'a suspension is one line until the account submits again']],
  'balance unknown': [
    ['src/notify/notify.test.ts', 'a balance that the service does not show while it responds is reported'],
  ],
  'rate limits used up': [
    ['src/cli/commands/operating.system.test.ts', 'are a problem after six hours, with the command that sends them'],
  ],
  'sitemap away': [
    ['src/cli/commands/operating.system.test.ts', 'exits with the code of the worst problem'],
    ['src/metrics/worker-metrics.test.ts', 'a scrape shows failed, held and successful runs of a watch'],
  ],
  'run held': [
    ['src/cli/commands/operating.system.test.ts', 'exits with the code of the worst problem'],
    ['src/observability/event-log.test.ts', 'a held run names the commands that decide'],
  ],
  'dispatcher stopped': [
    ['src/cli/commands/operating.system.test.ts', 'are a problem after six hours, with the command that sends them'],
  ],
  'configuration not valid': [
    ['src/connector/reload.test.ts', 'a bad change keeps the last good configuration and is logged once'],
  ],
  'messages undeliverable': [
    ['test/e2e/trouble.test.ts', 'a channel that takes no messages is a problem of status --check and doctor'],
    ['src/notify/notify.test.ts', 'a channel that takes no messages shows in the metrics and the ledger'],
  ],
  'clock wrong': [
    ['src/connector/doctor/doctor.test.ts', 'the contract of a service'],
    ['src/connector/watch-clock.test.ts', 'by more than a minute is logged once and in the metrics'],
  ],
  'log not writable': [['src/observability/log.system.test.ts', 'does not end the program, which knows it']],
};

/** What nothing shows, as far as we know: row and column. */
const UNSEEN = [
  ...['rate limits used up', 'dispatcher stopped'].map((row) => `${row}: log`),
  'clock wrong: check',
  ...['doctor', 'check', 'log'].map((column) => `log not writable: ${column}`),
];

const section = /^## What shows what$(.*?)^## /ms.exec(read('docs/guides/monitoring.md'))?.[1] ?? assert.fail();
const [head, , ...rows] = section
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
const cells = rows.flatMap(([row = '', ...rest]) =>
  rest.map((cell, at) => ({ row, column: head?.[at + 1] ?? '', cell, name: cell.replaceAll('`', '') })),
);
const ofColumn = (column: string) => cells.filter((each) => each.column === column && each.cell !== '–');

describe('the table of what shows what', () => {
  test('has no empty cell, and those that nothing shows are known', () => {
    assert.deepEqual(
      cells.filter(({ cell }) => cell === ''),
      [],
    );
    const unseen = cells.filter(({ cell }) => cell === '–').map(({ row, column }) => `${row}: ${column}`);
    assert.deepEqual(unseen.toSorted(), UNSEEN.toSorted());
  });

  test('names checks, exit codes, metrics, alerts and levels that exist', () => {
    const codes = Object.values(EXIT).map(String);
    const metrics = createWorkerMetrics('1').names;
    const alerts = read('deploy/prometheus/courier-alerts.yaml');
    for (const { row, name } of ofColumn('doctor')) assert.ok((CHECKS as readonly string[]).includes(name), row);
    for (const { row, name } of ofColumn('check')) assert.ok(codes.includes(name), row);
    for (const { row, name } of ofColumn('ready')) assert.ok(['200', '503', 'none'].includes(name), row);
    for (const { row, name } of ofColumn('metric')) assert.ok(metrics.includes(`courier_${name}`), row);
    for (const { row, name } of ofColumn('alert')) assert.match(alerts, new RegExp(`alert: Courier${name}\\n`), row);
    for (const { row, name } of ofColumn('log')) assert.ok(['warn', 'error', 'ends'].includes(name), row);
  });

  test('has tests for each of its rows, which exist', () => {
    assert.deepEqual(rows.map(([row]) => row).toSorted(), Object.keys(TRIED).toSorted());
    for (const [file, name] of Object.values(TRIED).flat()) assert.ok(read(file).includes(name), `${file}: ${name}`);
  });
});
