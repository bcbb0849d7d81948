import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DatabaseSync, type Image, recordConnection } from './memory-database.ts';

function makeTemplate(): Image {
  const { connection } = recordConnection(() => new DatabaseSync(':memory:'));
  connection.exec('CREATE TABLE pages (id INTEGER PRIMARY KEY AUTOINCREMENT, url TEXT UNIQUE)');
  connection.exec(`INSERT INTO pages (url) VALUES ('/a')`);
  const image = connection.serialize();
  connection.close();
  return image;
}

const open = (template: Image) => recordConnection(() => new DatabaseSync(':memory:'), template).connection;
const add = (connection: ReturnType<typeof open>, url: string) =>
  connection.prepare('INSERT INTO pages (url) VALUES (?)').run(url).lastInsertRowid;
const list = (connection: ReturnType<typeof open>) =>
  connection
    .prepare('SELECT id, url FROM pages ORDER BY id')
    .all()
    .map((row) => ({ ...row }));

describe('connections that are used again', () => {
  test('one that is closed serves the next of its template, with the content of the template alone', () => {
    const template = makeTemplate();
    const first = open(template);
    assert.equal(add(first, '/b'), 2);
    first.exec(`DELETE FROM pages WHERE url = '/a'`);
    first.close();
    const second = open(template);
    assert.equal(second, first);
    assert.deepEqual(list(second), [{ id: 1, url: '/a' }]);
    assert.equal(add(second, '/c'), 2, 'numbers begin again as well');
  });

  test('one takes another content in its place while it is used, and keeps what nobody writes', () => {
    const { connection: other } = recordConnection(() => new DatabaseSync(':memory:'));
    other.exec(
      'CREATE TABLE pages (id INTEGER PRIMARY KEY AUTOINCREMENT, url TEXT UNIQUE, size AS (length(url)) STORED)',
    );
    other.exec(`INSERT INTO pages (url) VALUES ('/a')`);
    const copy = other.serialize();
    add(other, '/b');
    other.replace(copy);
    assert.deepEqual(list(other), [{ id: 1, url: '/a' }]);
    assert.equal(add(other, '/c'), 2);
    assert.equal(other.prepare('SELECT max(size) AS size FROM pages').get()!.size, 2);
  });

  test('a transaction that is open when its connection is closed does not happen', () => {
    const template = makeTemplate();
    const first = open(template);
    first.exec('BEGIN IMMEDIATE');
    add(first, '/b');
    first.close();
    const second = open(template);
    assert.equal(second.isTransaction, false);
    assert.deepEqual(list(second), [{ id: 1, url: '/a' }]);
  });

  test('rows that others refer to go last and come first, and foreign keys hold all the time', () => {
    const { connection } = recordConnection(() => new DatabaseSync(':memory:'));
    connection.exec(`
      CREATE TABLE links (id INTEGER PRIMARY KEY, page INTEGER REFERENCES pages, last INTEGER REFERENCES links);
      CREATE TABLE pages (id INTEGER PRIMARY KEY);
      INSERT INTO pages VALUES (1);
      INSERT INTO links VALUES (1, 1, 1)`);
    const template = connection.serialize();
    const first = open(template);
    first.exec('INSERT INTO pages VALUES (2); INSERT INTO links VALUES (2, 2, 1)');
    first.close();
    const second = open(template);
    assert.equal(second, first);
    assert.deepEqual({ ...second.prepare('SELECT count(*) AS n FROM links').get() }, { n: 1 });
    assert.throws(() => second.exec('DELETE FROM pages'), /FOREIGN KEY/);
  });

  test('two that are open at a time, and those of two templates, share nothing', () => {
    const [template, other] = [makeTemplate(), makeTemplate()];
    const first = open(template);
    const second = open(template);
    add(first, '/b');
    assert.deepEqual(list(second), [{ id: 1, url: '/a' }]);
    first.close();
    assert.notEqual(open(other), first);
  });

  test('a statement is compiled once for a connection, whoever asks for it', () => {
    const connection = open(makeTemplate());
    assert.equal(connection.prepare('SELECT url FROM pages'), connection.prepare('SELECT url FROM pages'));
  });

  test('who reads beside the program has objects, although the program has the rows of the same text as arrays', () => {
    const connection = open(makeTemplate());
    const text = 'SELECT id, url FROM pages';
    connection.prepare(text).setReturnArrays(true);
    assert.deepEqual({ ...connection.read(text).get() }, { id: 1, url: '/a' });
    assert.deepEqual(connection.prepare(text).get(), [1, '/a']);
    assert.equal(connection.read(text), connection.read(text));
  });
});
