import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import { describe, test } from 'node:test';

/** What a program with this logger writes to stderr. */
function write(code: string): string {
  const text = `import { createLogger } from './src/observability/log.ts'; ${code}`;
  return spawnSync(process.execPath, ['--input-type=module-typescript', '-e', text], { encoding: 'utf8' }).stderr;
}

describe('the log', () => {
  test('a secret header handed to the log by mistake does not reach it, and stdout stays empty', () => {
    const code = `import { createLogger } from './src/observability/log.ts';
    const log = createLogger('info', 'test');
    log.info({ authorization: 'Bearer canary', request: { authorization: 'canary', headers: { 'x-api-key': 'canary' } }, id: 7 }, 'sent');`;
    const run = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', code], { encoding: 'utf8' });
    assert.match(run.stderr, /"id":7/);
    assert.doesNotMatch(run.stderr, /canary/);
    assert.equal(run.stdout, '');
  });

  test('a line has its level by name and its time in ISO 8601', () => {
    const run = write(`createLogger('info', 'test').info('ready');`);
    const { level, time } = JSON.parse(run) as { level: string; time: string };
    assert.equal(level, 'info');
    assert.equal(new Date(time).toISOString(), time);
  });

  test('on a terminal a line is readable: time, level, sentence and the message of an error, no JSON', () => {
    const line = write(
      `createLogger('info', 'test', true).warn({ error: new Error('the disk is full'), id: 7 }, 'Activity failed');`,
    );
    assert.match(line, /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] WARN: Activity failed: the disk is full\n$/);
  });

  test('a log that cannot be written, as on a full disk, does not end the program, which knows it', () => {
    const code = `import { createLogger, isLogWritable } from './src/observability/log.ts';
    const log = createLogger('info', 'test', false);
    for (let line = 0; line < 3; line++) log.info('ready');
    setTimeout(() => process.stdout.write('alive ' + isLogWritable()), 50);`;
    for (const [place, isWritable] of [
      ['/dev/full', false],
      ['/dev/null', true],
    ] as const) {
      const run = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', code], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', openSync(place, 'w')],
      });
      assert.deepEqual([run.status, run.stdout], [0, `alive ${isWritable}`], place);
    }
  });

  test('a failure that the SDK logs keeps its message and its class', () => {
    const code = `import { createLogger } from './src/observability/log.ts';
    const log = createLogger('info', 'test');
    class SecretMissingError extends Error { name = 'SecretMissingError'; }
    log.warn({ error: new SecretMissingError('The secret file key cannot be read') }, 'Activity failed');`;
    const run = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', code], { encoding: 'utf8' });
    const { error } = JSON.parse(run.stderr) as { error: { type: string; message: string } };
    assert.deepEqual([error.type, error.message], ['SecretMissingError', 'The secret file key cannot be read']);
  });
});
