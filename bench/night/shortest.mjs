// node shortest.mjs URL DATABASE: the shortest program that finds what is new and changed in the children of an index. It
// fetches, unpacks, takes each loc and lastmod by a regular expression and looks it up in a SQLite table. It has no limits,
// normalizes and checks nothing, and does not notice what is gone.
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';

const [index, file] = process.argv.slice(2);
const db = new DatabaseSync(file);
db.exec(`PRAGMA journal_mode = WAL; PRAGMA cache_size = -16384;
  CREATE TABLE IF NOT EXISTS pages (url TEXT PRIMARY KEY, lastmod TEXT) WITHOUT ROWID`);
const find = db.prepare('SELECT lastmod FROM pages WHERE url = ?');
const insert = db.prepare('INSERT INTO pages VALUES (?, ?) ON CONFLICT (url) DO UPDATE SET lastmod = excluded.lastmod');
let found = 0;
const urls = [...(await (await fetch(index)).text()).matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, loc]) => loc);
for (const url of urls) {
  const text = gunzipSync(Buffer.from(await (await fetch(url)).arrayBuffer())).toString();
  db.exec('BEGIN');
  for (const [, loc, lastmod] of text.matchAll(/<loc>([^<]*)<\/loc>\s*<lastmod>([^<]*)</g)) {
    if (find.get(loc)?.lastmod === lastmod) continue;
    insert.run(loc, lastmod);
    found += 1;
  }
  db.exec('COMMIT');
}
db.close();
process.stdout.write(`${found}\n`);
