import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** The program by its name, as a shell finds it. */
const AS_COMMAND = (shell: Shell) =>
  shell === 'fish'
    ? `function courier; ${process.execPath} --disable-warning=ExperimentalWarning ${main} $argv; end`
    : `courier() { ${process.execPath} --disable-warning=ExperimentalWarning ${main} "$@"; }`;

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];
const scripts = new Map<Shell, string>();

const isInstalled = (shell: Shell): boolean => spawnSync(shell, ['-c', 'true']).status === 0;
const quote = (word: string): string => `'${word}'`;

/** Lines that ask a shell what it offers for the last of these words. Files are offered as `FILES`. */
const QUESTIONS: Readonly<Record<Shell, (words: readonly string[]) => string>> = {
  bash: (words) => `COMP_WORDS=(courier ${words.map(quote).join(' ')}); COMP_CWORD=${words.length}
_courier; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // Outside of its line editor zsh has none of these functions.
  zsh: (words) => `_files() { print FILES }
compadd() { shift; print -l -- "$@" }
_describe() { local name=$@[-1]; for each in "\${(@P)name}"; do print -r -- "\${each%%:*}"; done }
words=(courier ${words.map(quote).join(' ')}); CURRENT=${words.length + 1}; PREFIX=${quote(words.at(-1) ?? '')}
_courier`,
  fish: (words) => `complete -C ${quote(['courier', ...words].join(' '))} | string replace -r '\\t.*' ''; true`,
};

/** What a shell offers for the last of these words. */
function complete(shell: Shell, ...words: string[]): string[] {
  const script = `${shell === 'zsh' ? 'compdef() { : }\n' : ''}${AS_COMMAND(shell)}\n${scripts.get(shell)}\n${QUESTIONS[shell](words)}`;
  const options = shell === 'fish' ? ['--no-config', '-c', script] : ['-c', script];
  const { stdout, stderr, status } = spawnSync(shell, options, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const last = words.at(-1) ?? '';
  return stdout.split('\n').filter((word) => word !== '' && word.startsWith(last));
}

describe('courier completion', () => {
  before(() => {
    for (const shell of SHELLS) {
      const args = ['--disable-warning=ExperimentalWarning', main, 'completion', shell];
      const run = spawnSync(process.execPath, args, { encoding: 'utf8' });
      assert.equal(run.status, 0, run.stderr);
      scripts.set(shell, run.stdout);
    }
  });

  for (const shell of SHELLS) {
    const skip = isInstalled(shell) ? false : `${shell} is not installed`;
    test(`${shell} offers commands, subcommands and options`, { skip }, () => {
      assert.deepEqual(complete(shell, 'sta'), ['status']);
      assert.ok(['list', 'show', 'resolve', 'cancel'].every((word) => complete(shell, 'batches', '').includes(word)));
      assert.deepEqual(complete(shell, 'status', '--fo'), ['--follow']);
      assert.deepEqual(complete(shell, 'plan', 'shop', '--ur'), ['--urls'], 'after an argument');
      assert.deepEqual(complete(shell, 'why', '--js'), ['--json'], 'of every command');
      assert.deepEqual(complete(shell, 'status', 'sta'), [], 'a command is not offered twice');
    });

    test(`${shell} offers the values of an option, and files where it has none`, { skip }, () => {
      assert.deepEqual(complete(shell, 'spend', '--by', '').toSorted(), ['day', 'month', 'watch']);
      assert.deepEqual(complete(shell, 'batches', 'list', '--state', 'need'), ['needs_review']);
      for (const words of [
        ['plan', '--out', ''],
        ['validate', '--config', ''],
      ]) {
        const offered = complete(shell, ...words);
        // fish lists the files of this folder; bash does where a completion offers nothing.
        const files: readonly string[] = { bash: [] as string[], zsh: ['FILES'], fish: readdirSync('.') }[shell];
        assert.ok(
          offered.every((word) => files.includes(word.replace(/\/$/, ''))),
          offered.join(),
        );
        assert.equal(offered.length > 0, shell !== 'bash');
      }
    });
  }

  for (const shell of SHELLS) {
    const skip = isInstalled(shell) ? false : `${shell} is not installed`;
    test(`${shell} offers what the configuration names, and nothing where it cannot be read`, { skip }, (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'completion-'));
      t.after(() => rmSync(folder, { recursive: true }));
      const config = join(folder, 'other.yaml');
      writeFileSync(
        config,
        `version: 1
accounts: { main: { base_url: "https://indexing.example/api/v1", api_key: { env: X } } }
watches:
  shop: { account: main, sitemaps: ["https://shop.example/s.xml"] }
  blog: { account: main, sitemaps: ["https://blog.example/s.xml"] }
`,
      );
      const ask = (...words: string[]) => complete(shell, '--config', config, ...words).toSorted();
      assert.deepEqual(ask('run', 'sh'), ['shop']);
      assert.deepEqual(ask('plan', 'shop', 'b'), ['blog']);
      assert.deepEqual(ask('watch', 'pause', 'b'), ['blog']);
      assert.deepEqual(ask('batches', 'list', '--watch', ''), ['blog', 'shop']);
      assert.deepEqual(ask('accounts', 'move', 'm'), ['main']);
      assert.deepEqual(complete(shell, '--config', join(folder, 'none.yaml'), 'run', 'sh'), []);
    });
  }

  test('without a shell it prints the script for bash', () => {
    const args = ['--disable-warning=ExperimentalWarning', main, 'completion'];
    assert.equal(spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout, scripts.get('bash'));
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
