import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { parse, stringify } from 'yaml';
import { readConfig as readServiceConfig } from '../../service/cli/config/file.ts';
import { readConfig } from '../../src/config/load.ts';
import { listPages, root } from '../support/pages.ts';

type Tree = Record<string, unknown>;

/** A whole configuration, into which a page's fragment is laid: at the top, in the account, or in the watch. */
const whole = (): { accounts: { main: Tree }; watches: { shop: Tree } } & Tree => ({
  version: 1,
  accounts: { main: { base_url: 'https://indexing.example/api/v1', api_key: { env: 'COURIER_API_KEY' } } },
  watches: { shop: { account: 'main', sitemaps: ['https://shop.example/sitemap.xml'], hosts: ['shop.example'] } },
});

const read = (tree: Tree): unknown => readConfig(stringify(tree), 'page.yaml');

/** Why a fragment fits nowhere; null when it does. */
function findMistake(fragment: Tree): string | null {
  const base = whole();
  const places: Tree[] = [
    { ...base, ...fragment },
    { ...base, accounts: { main: { ...base.accounts.main, ...fragment } } },
    { ...base, watches: { shop: { ...base.watches.shop, ...fragment } } },
  ];
  const mistakes = places.map((tree) => {
    try {
      read(tree);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  });
  return mistakes.includes(null) ? null : (mistakes[0] ?? null);
}

const listYaml = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/```ya?ml\n([\s\S]*?)```/g)].flatMap(([, text]) => text ?? []);

/** The pages whose YAML configures the service. */
const OF_SERVICE = /host-the-service|behind-a-proxy|service-operations|dashboard/;

describe('YAML in the documents', () => {
  const pages = listPages();

  test('every configuration of the connector is valid, with keys that exist', () => {
    const blocks = pages
      .filter((page) => !OF_SERVICE.test(page))
      .flatMap((page) => listYaml(page).map((text) => ({ page: relative(root, page), text })));
    assert.ok(blocks.length >= 5, 'no YAML found: this test would prove nothing');
    const mistakes = blocks.flatMap(({ page, text }) => {
      const mistake = findMistake(parse(text) as Tree);
      return mistake === null ? [] : [`${page}: ${mistake}\n${text}`];
    });
    assert.deepEqual(mistakes, []);
  });

  test('every configuration of the service is valid, with keys that exist', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'courier-docs-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const blocks = pages.filter((page) => OF_SERVICE.test(page)).flatMap(listYaml);
    assert.ok(blocks.length >= 1, 'no YAML found: this test would prove nothing');
    for (const [at, text] of blocks.entries()) {
      const file = join(folder, `${at}.yaml`);
      writeFileSync(file, text);
      assert.doesNotThrow(() => readServiceConfig(file), text);
    }
  });

  test('a key that does not exist would be seen', () => {
    assert.match(findMistake({ spent: { per_day: '1 TRY' } }) ?? '', /spent/);
  });
});
