import assert from 'node:assert/strict';
import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { makeFolder, makePrivateFolder } from './make-folder.ts';

describe('a folder that is made', () => {
  test('comes with those above it, and may be there already', () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'courier-folder-')), 'a', 'b', 'c');
    makeFolder(folder);
    makeFolder(folder);
    assert.ok(statSync(folder).isDirectory());
  });

  test('belongs to its owner alone where it should, whatever the umask', () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'courier-folder-')), 'a', 'b');
    const before = process.umask(0);
    try {
      makePrivateFolder(folder);
    } finally {
      process.umask(before);
    }
    for (const each of [folder, join(folder, '..')]) assert.equal(statSync(each).mode & 0o777, 0o700);
  });

  test('ends with an error where none can be, also where the system says that its parent is missing', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'courier-folder-')), 'file');
    writeFileSync(file, '');
    assert.throws(() => makeFolder(join(file, 'a')), /ENOTDIR/);
    assert.throws(() => makeFolder(file), /EEXIST/);
    if (process.platform === 'linux') assert.throws(() => makeFolder('/proc/.cache/courier'), /ENOENT/);
  });
});
