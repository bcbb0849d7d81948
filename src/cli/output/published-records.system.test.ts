import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { checkRecords } from '../../../test/support/check-records.ts';
import { courier, startCourier } from '../../../test/support/cli.ts';
import { CLI_OUTPUT } from './records/index.ts';

// The helpers check the records of every command that any test runs. Here: that every command has been asked, that it
// fails as published, and that the check would notice.

const folder = mkdtempSync(join(tmpdir(), 'courier-records-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** What a command needs to be asked at all; there is no configuration, no such file and no such run. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  demo: ['no-such-sitemap.xml'],
  init: ['shop.example'],
  apply: ['no-such-plan.json'],
  approve: ['watch/x/y/z'],
  reject: ['watch/x/y/z'],
  'watch pause': ['shop'],
  'watch resume': ['shop'],
  'watch trigger': ['shop'],
  'batches show': ['1'],
  'batches resolve': ['1', '--leave'],
  'batches cancel': ['1'],
  'accounts move': ['main'],
  'accounts resume': ['main'],
  'submissions show': ['IDX-1'],
  'submissions resolve': ['1', '--leave'],
  backup: ['copy.db'],
  restore: ['copy.db'],
  why: ['https://shop.example/'],
  'ledger show': ['https://shop.example/'],
  'ledger import': ['no-such-export.ndjson'],
  'ledger forget': ['--watch', 'shop'],
  'deployments list': ['courier'],
  'deployments promote': ['courier', '1'],
  'deployments move': ['watch/x/y/z', '--to', '1'],
  'quarantine release': ['shop', 'https://shop.example/'],
  crawl: ['no-such-sitemap.xml'],
};

describe('a command that fails', () => {
  for (const command of Object.keys(CLI_OUTPUT)) {
    test(`${command} prints the version and an error summary, and exits with 2`, async () => {
      const { code, records, stderr } = await courier(folder, ...command.split(' '), ...(ARGUMENTS[command] ?? []));
      assert.equal(code, 2, stderr);
      assert.deepEqual(
        records.map(({ type }) => type),
        ['version', 'summary'],
      );
      assert.match(String(records.at(-1)?.error), /nothing was|does not exist|no such file|is a folder/i);
    });
  }

  test('wrong arguments print an error summary as well', async () => {
    for (const args of [['stauts'], ['watch'], ['plan', '--nope'], ['apply'], ['crawl', '--max-urls', 'x', 'y']]) {
      const { code, records } = await courier(folder, ...args);
      assert.equal(code, 2, args.join(' '));
      assert.deepEqual([records.length, typeof records.at(-1)?.error], [2, 'string']);
    }
  });
});

describe('the arguments', () => {
  test('the value of an option may equal a command name', async () => {
    const { stderr } = await courier(folder, '--config', 'run', 'validate');
    assert.match(stderr, /^run cannot be used/);
  });

  test('an unknown command suggests the closest one', async () => {
    assert.match((await courier(folder, 'stauts')).stderr, /Did you mean status\?/);
  });
});

describe('a reader that closes the output early', () => {
  test('makes the command exit with 3 and a message, without a stack trace', async () => {
    const child = startCourier(folder, 'schema', '--output');
    child.stdout?.destroy();
    let stderr = '';
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    assert.equal(code, 3, stderr);
    assert.equal(stderr, 'The output is incomplete: its reader closed it.\n');
  });
});

describe('the check of the records', () => {
  const version = { type: 'version', schema: 1, program: 'courier', version: '0.0.0' };
  const summary = { type: 'summary', ok: true, exit_code: 0, quarantined: 0 };
  const wrong: readonly (readonly [string, readonly Record<string, unknown>[]])[] = [
    ['a missing version', [summary]],
    ['a missing summary', [version]],
    ['a field that is not published', [version, { ...summary, found: 1 }]],
    ['a missing field of the summary', [version, { type: 'summary', ok: true, exit_code: 0 }]],
    ['a record of another command', [version, { type: 'released', watch: 'a', url: 'b', released: true }, summary]],
    ['a field of another type', [version, { type: 'quarantined', watch: 'a', url: 'b', reason: 1 }, summary]],
  ];
  for (const [label, records] of wrong) {
    test(`notices ${label}`, () => assert.throws(() => checkRecords(CLI_OUTPUT, ['quarantine', 'list'], records)));
  }

  test('lets through what is published', () => {
    checkRecords(CLI_OUTPUT, ['quarantine', 'list'], [version, summary]);
  });
});
