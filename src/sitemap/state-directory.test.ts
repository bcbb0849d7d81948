import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { KnownSitemap } from './events.ts';
import { openStateDirectory } from './state-directory.ts';

const SITEMAP = 'https://shop.example/sitemap.xml';
const KNOWN: KnownSitemap = {
  kind: 'index',
  urls: 0,
  fingerprint: 'r2:00',
  bytes: 1,
  tookMs: 1,
  children: ['https://shop.example/a.xml'],
};

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'courier-state-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('what is kept is known again, in a folder that is created', () =>
  withFolder(async (folder) => {
    const state = await openStateDirectory(join(folder, 'a', 'b'));
    await state.keep(SITEMAP, KNOWN);
    assert.deepEqual(await state.known(SITEMAP), { sitemap: SITEMAP, ...KNOWN });
    assert.equal(await state.known('https://shop.example/other.xml'), undefined);
  }));

describe('a damaged file means that the sitemap is read again', () => {
  const contents = [
    '',
    'null',
    '[]',
    '7',
    '{"sitemap"',
    '{}',
    JSON.stringify({ sitemap: SITEMAP, ...KNOWN, children: 'x' }),
    JSON.stringify({ sitemap: SITEMAP, ...KNOWN, children: ['no URL'] }),
    JSON.stringify({ sitemap: SITEMAP, ...KNOWN, fingerprint: 7 }),
    JSON.stringify({ sitemap: SITEMAP, ...KNOWN, bytes: undefined }),
  ];
  for (const content of contents) {
    test(content.slice(0, 80) || 'empty', () =>
      withFolder(async (folder) => {
        const state = await openStateDirectory(folder);
        await state.keep(SITEMAP, KNOWN);
        for (const file of await readdir(folder)) await writeFile(join(folder, file), content);
        assert.equal(await state.known(SITEMAP), undefined);
      }),
    );
  }
});

test('a folder that cannot be used is refused with its reason', async () => {
  await assert.rejects(openStateDirectory('/dev/null'), { name: 'StateDirectoryError', message: /it is not a folder/ });
  await assert.rejects(openStateDirectory('/dev/null/x'), { name: 'StateDirectoryError' });
});
