import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
let script = '';

/** What bash offers for the last of these words. */
function complete(...words: string[]): string[] {
  const line = `${script}
COMP_WORDS=(courier ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
_courier; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['-c', line], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout.split('\n').filter((word) => word !== '');
}

describe('courier completion', () => {
  before(() => {
    const run = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'completion'], {
      encoding: 'utf8',
    });
    assert.equal(run.status, 0, run.stderr);
    script = run.stdout;
  });

  test('offers commands, subcommands and options', () => {
    assert.deepEqual(complete('sta'), ['status']);
    assert.ok(['list', 'show', 'resolve', 'cancel'].every((word) => complete('batches', '').includes(word)));
    assert.deepEqual(complete('status', '--fo'), ['--follow']);
    assert.deepEqual(complete('plan', 'shop', '--ur'), ['--urls'], 'after an argument');
    assert.deepEqual(complete('why', '--js'), ['--json'], 'of every command');
  });

  test('offers the values of an option, and files where it has none', () => {
    assert.deepEqual(complete('spend', '--by', ''), ['watch', 'day', 'month']);
    assert.deepEqual(complete('batches', 'list', '--state', 'need'), ['needs_review']);
    assert.deepEqual(complete('plan', '--out', ''), [], 'bash offers files');
    assert.deepEqual(complete('validate', '--config', ''), [], 'bash offers files');
  });
});

describe('the man page', () => {
  const page = readFileSync(new URL('../../../docs/man/courier.1', import.meta.url), 'utf8');

  test('has only requests that roff knows, and plain text', () => {
    const requests = page.split('\n').filter((line) => /^[.']/.test(line));
    const unknown = requests.filter((line) => !/^\.(TH|SH|SS|TP|B|I)( |$)/.test(line));
    assert.deepEqual(unknown, []);
    assert.match(page, /^\p{ASCII}*$/u);
  });

  test('has every command with its options, and every exit code', () => {
    for (const text of ['courier batches resolve', '\\-\\-detailed\\-exitcode', '.B 143', '(one of watch, day, month)'])
      assert.ok(page.includes(text), text);
  });
});
