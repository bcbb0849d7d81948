import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { stringify } from 'yaml';
import type { AccountId, WatchId } from '../submission/ids.ts';
import { readConfig } from './load.ts';
import { configReference, REFERENCE_FILE } from './reference.ts';
import { Account } from './schema/account.ts';
import { Watch } from './schema/watch.ts';
import { ConfigSchema } from './schema.ts';

interface Node {
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly patternProperties?: Readonly<Record<string, Node>>;
}

describe('configuration reference', () => {
  test('the page matches the schema', () => {
    assert.equal(readFileSync(REFERENCE_FILE, 'utf8'), configReference(), 'run: npm run docs:config');
  });

  test('every setting has a description, and every value an example', () => {
    const missing: string[] = [];
    const visit = (node: Node, path: string): void => {
      const inner = { ...node.properties, ...node.patternProperties };
      for (const [name, child] of Object.entries(inner)) {
        const named = node.patternProperties?.[name] !== undefined;
        const section = child.properties !== undefined || child.patternProperties !== undefined;
        if (!named && child.description === undefined) missing.push(`${path}.${name} has no description`);
        const shown = section || child.examples !== undefined || child.enum !== undefined || child.const !== undefined;
        if (!named && !shown) missing.push(`${path}.${name} has no example`);
        visit(child, `${path}.${name}`);
      }
    };
    visit(ConfigSchema as Node, '');
    assert.deepEqual(missing, []);
  });

  test('the documented defaults match the program', () => {
    const account = { base_url: 'https://indexing.example/api/v1', api_key: { env: 'KEY' } };
    const watch = { account: 'main', sitemaps: ['https://shop.example/sitemap.xml'] };
    const load = (more: { account: object; watch: object }) => {
      const file = {
        version: 1,
        accounts: { main: { ...account, ...more.account } },
        watches: { shop: { ...watch, ...more.watch } },
      };
      const config = readConfig(stringify(file), '/etc/courier/courier.yaml');
      // Terminal states written out also join the status map, which already has the built-in ones.
      const { statusMap: _, ...read } = config.accounts.get('main' as AccountId) ?? assert.fail();
      return [read, config.watches.get('shop' as WatchId)];
    };
    const { schedule: _, index_check: __, ...written } = defaultsIn(Watch as Node) as Record<string, object>;
    const checked = { index_check: {} };
    assert.deepEqual(
      load({
        account: defaultsIn(Account as Node),
        watch: { ...written, index_check: defaultsIn(Watch.properties.index_check as Node) },
      }),
      load({ account: {}, watch: checked }),
    );
  });
});

/** The defaults in a schema, as a configuration writes them. */
function defaultsIn(node: Node): object {
  return Object.fromEntries(
    Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
      const value = child.properties === undefined ? child.default : defaultsIn(child);
      const empty =
        typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
      return value === undefined || empty ? [] : [[name, value]];
    }),
  );
}
