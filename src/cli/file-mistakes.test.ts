import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CommandError } from '../cli-kit/exit-codes.ts';
import { FileMistakes } from './file-mistakes.ts';

describe('mistakes in a file', () => {
  test('are no error when there is none', () => {
    assert.doesNotThrow(() => new FileMistakes('urls.txt').throwIfAny('Nothing was imported'));
  });

  test('name the line of each of the first 20, and how many more there are', () => {
    const mistakes = new FileMistakes('urls.txt');
    for (let line = 1; line <= 23; line++) mistakes.add(line, 'is not a URL');
    assert.throws(
      () => mistakes.throwIfAny('Nothing was imported'),
      (error: unknown) => {
        assert.ok(error instanceof CommandError);
        assert.equal(error.exitCode, 2);
        const [first, ...lines] = error.message.split('\n');
        assert.equal(first, 'Nothing was imported, because of mistakes in the file:');
        assert.deepEqual(
          [lines[0], lines[19], lines[20]],
          ['  urls.txt:1 is not a URL', '  urls.txt:20 is not a URL', '  and 3 more'],
        );
        assert.equal(lines.length, 21);
        return true;
      },
    );
  });
});
