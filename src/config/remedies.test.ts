import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parse, stringify } from 'yaml';
import { listReadings } from '../../contract/amount-text.ts';
import { parseTry } from '../../contract/money.ts';
import { BROKEN } from '../../test/support/broken-settings.ts';
import { compileGlobs } from '../url/globs.ts';
import { ConfigError, type ConfigProblem } from './config-error.ts';
import type { Expectation } from './expected.ts';
import { type Remedy, toYaml } from './fault.ts';
import { readConfig } from './load.ts';
import { PATTERN } from './schema/values.ts';
import { ConfigSchema } from './schema.ts';
import { apply } from './try-remedies.ts';
import { parseYamlFile } from './yaml-file.ts';

const FILE = 'courier.yaml';

const BASE = `version: 1
accounts:
  main:
    base_url: https://indexing.example/api/v1
    api_key: { env: COURIER_API_KEY }
watches:
  shop:
    account: main
    sitemaps: [https://shop.example/sitemap.xml]
`;

/** The base with a line in its account, in its watch or at the top; `is`: with a value in place of one that it has. */
function withLine(place: string, line: string): string {
  const [, key = ''] = /^([\w"<]+):/.exec(line) ?? [];
  const indent = place === 'top' ? '' : '    ';
  const own = new RegExp(`^${indent}${key}: .*\\n`, 'm');
  const block = line.replaceAll('\n', `\n${indent}`);
  if (own.test(BASE)) return BASE.replace(own, `${indent}${block}\n`);
  if (place === 'top') return `${BASE}${block}\n`;
  const anchor = place === 'account' ? '    api_key: { env: COURIER_API_KEY }\n' : '    account: main\n';
  return BASE.replace(anchor, `${anchor}${indent}${block}\n`);
}

function findProblems(text: string): readonly ConfigProblem[] {
  try {
    readConfig(text, FILE);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError, `${text}\n${error instanceof Error ? error.stack : error}`);
    return error.problems;
  }
}

const shown = (remedy: Remedy): string =>
  remedy.kind === 'write' ? toYaml(remedy.value) : remedy.kind === 'rename' ? remedy.name : 'remove';

const isAt = (path: string, place: string) => path === place || path.startsWith(`${place}.`);

/** Carries out every remedy in the file, as you would, and asserts that the checker takes it. */
function assertRemedies(text: string): readonly ConfigProblem[] {
  const problems = findProblems(text);
  const rounds = Math.max(0, ...problems.map(({ remedies = [] }) => remedies.length));
  for (let round = 0; round < rounds; round++) {
    const tree = structuredClone(parseYamlFile({ file: FILE, text }).raw);
    const made: [string, Remedy][] = [];
    for (const { path, message, remedies = [] } of problems.toSorted((a, b) => b.path.length - a.path.length)) {
      const remedy = remedies[round] ?? remedies[0];
      if (remedy === undefined) continue;
      if (remedy.kind === 'write') {
        assert.ok(message.includes(toYaml(remedy.value)), `${message} has ${toYaml(remedy.value)}`);
        assert.deepEqual(parse(`[${toYaml(remedy.value)}]`), [remedy.value], `${message}: as it is written`);
      }
      const keys = path.split('.');
      assert.ok(apply(tree, keys, remedy), message);
      made.push([remedy.kind === 'rename' ? [...keys.slice(0, -1), remedy.name].join('.') : path, remedy]);
    }
    const left = findProblems(stringify(tree));
    for (const [place, { kind }] of made) {
      const bad = left.filter(({ path }) => (kind === 'rename' ? path === place : isAt(path, place)));
      // Of a setting with a right name, the value is looked at for the first time.
      const wrong = bad.filter(({ message }) => kind !== 'rename' || /unknown setting|not a name/.test(message));
      assert.deepEqual(wrong, [], `${text}\n${stringify(tree)}`);
    }
  }
  return problems;
}

describe('what a message proposes is accepted, and means what was meant:', () => {
  for (const [place, line, ...proposals] of BROKEN) {
    test(`${place}: ${JSON.stringify(line)}`, () => {
      const problems = assertRemedies(withLine(place, line));
      assert.notEqual(problems.length, 0, 'it is broken');
      assert.deepEqual(
        problems.flatMap(({ remedies = [] }) => remedies.map(shown)),
        proposals,
        problems.map(({ message }) => message).join('\n'),
      );
    });
  }

  test('of at least 130 broken configurations', () => assert.ok(BROKEN.length >= 130, String(BROKEN.length)));

  test('a regular expression as a glob that leaves out the same pages', () => {
    const [problem] = findProblems(withLine('watch', 'exclude: ["^/products/draft/.*$"]'));
    const [remedy] = problem?.remedies ?? [];
    assert.ok(remedy?.kind === 'write');
    const isExcluded = compileGlobs([String(remedy.value)]);
    assert.deepEqual(['/products/draft/a', '/products/draft/a/b', '/products/a'].map(isExcluded), [true, true, false]);
  });

  test('for each of several settings alone: one that is required is not to be removed beside one that is not', () => {
    const text = BASE.replace('https://indexing.example/api/v1', '').replace(
      'account: main',
      'account: main\n    project:',
    );
    assert.deepEqual(
      assertRemedies(text).map(({ remedies = [] }) => remedies.map(shown)),
      [['https://indexing.example/api/v1'], ['Shop nightly', 'remove']],
    );
  });

  test('two names that would become one are not both proposed', () => {
    const text = BASE.replace('  shop:', '  Shop: { account: main, sitemaps: [a.xml] }\n  SHOP:');
    const names = assertRemedies(text).flatMap(({ remedies = [] }) => remedies.map(shown));
    assert.deepEqual(names, ['shop']);
  });
});

interface Leaf {
  readonly path: readonly string[];
  readonly schema: Expectation;
}

/** Every setting of the schema, with names for accounts, watches and channels. */
function listLeaves(schema: Expectation, path: readonly string[] = []): Leaf[] {
  const named = (schema as { patternProperties?: Record<string, Expectation> }).patternProperties;
  if (named !== undefined && path.at(-1) !== 'headers') {
    const name = path.at(-1) === 'accounts' ? 'main' : path.at(-1) === 'watches' ? 'shop' : 'ops';
    return Object.values(named).flatMap((each) => listLeaves(each, [...path, name]));
  }
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, each]) => listLeaves(each, [...path, name]));
  const entries = schema.items === undefined ? [] : listLeaves(schema.items, [...path, '0']);
  const branches = (schema.anyOf ?? []).flatMap((each) => listLeaves(each, path).filter((leaf) => leaf.path !== path));
  return [...(path.length === 0 ? [] : [{ path, schema }]), ...inner, ...entries, ...branches];
}

const LEAVES = listLeaves(ConfigSchema as unknown as Expectation);

/** The base with a value anywhere in it. */
function withValue(path: readonly string[], value: unknown): string {
  const tree = parse(BASE) as Record<string, unknown>;
  let node = tree;
  for (const [at, key] of path.slice(0, -1).entries()) {
    const isList = path[at + 1] === '0';
    if (typeof node[key] !== 'object' || node[key] === null) node[key] = isList ? [] : {};
    node = node[key] as Record<string, unknown>;
  }
  node[path.at(-1) as string] = value;
  return stringify(tree);
}

const number = fc.stringMatching(/^[-+₺]?\d{0,4}[.,' _]?\d{0,4}[.,]?\d{0,7} ?(TRY|TL|₺|EUR|s|m|h|d|w|days|gün|%|e3)?$/);
const word = fc.constantFrom(
  ...['yes', 'Evet', 'fsat', 'Standard', 'mağaza', 'Shop Eins', 'ftp://', 'http://', 'shop.example', 'localhost'],
  ...['https://shop.example/a?b=1#c', 'shop.example/a.xml', 'www.shop.example', '^/a/.*$', '\\a\\**', '*.html', '/[a'],
  ...[
    '@daily',
    '0 30 4 * * *',
    '30 25 * * *',
    'UTC+3',
    'Europe/Instanbul',
    'mysql:x',
    'a, b',
    'https://a.example, https://b.example',
  ],
  ...[
    '',
    ' ',
    '-',
    '~',
    'null',
    'true',
    '#',
    ': ',
    "it's",
    '"',
    '\n',
    '{',
    '[',
    '&a',
    '!b',
    '%c',
    'ı',
    'магазин',
    '0x1f',
    '/..',
    '-----BEGIN X',
  ],
);
const scalar = fc.oneof(
  number,
  word,
  fc.boolean(),
  fc.constant(null),
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.string(),
);
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('env', 'file', 'cron', 'standard', 'minute', 'webhook', 'url', 'x'), scalar, {
    maxKeys: 2,
  }),
);

/** A known name with a letter too many, too few or in another place. */
const misspelt = (name: string) =>
  fc.tuple(fc.nat(name.length), fc.constantFrom('', 'x', 's', '_')).map(([at, letter]) => {
    const rest = name.slice(letter === '' ? at + 1 : at);
    return `${name.slice(0, at)}${letter}${rest}`;
  });

describe('what a message proposes is accepted', () => {
  test('whatever a setting holds, and of an amount it is one of its readings', () => {
    fc.assert(
      fc.property(fc.constantFrom(...LEAVES), value, ({ path, schema }, held) => {
        const problems = assertRemedies(withValue(path, held));
        if (schema.pattern !== PATTERN.amount || typeof held !== 'string') return;
        for (const { path: at, remedies = [], message } of problems) {
          if (at !== path.join('.') || message.includes('for example')) continue;
          for (const remedy of remedies)
            if (remedy.kind === 'write')
              assert.ok(listReadings(held).includes(parseTry(String(remedy.value)) as never), message);
        }
      }),
      { numRuns: 1_500 },
    );
  });

  test('whatever a setting is called', () => {
    const settings = LEAVES.filter(({ path }) => /^[a-z_]+$/.test(path.at(-1) ?? ''));
    const renamed = fc
      .constantFrom(...settings)
      .chain(({ path, schema }) => fc.tuple(fc.constant({ path, schema }), misspelt(path.at(-1) ?? ''), value));
    fc.assert(
      fc.property(renamed, ([{ path }, name, held]) => {
        if (name !== '') assertRemedies(withValue([...path.slice(0, -1), name], held));
      }),
      { numRuns: 500 },
    );
  });
});
