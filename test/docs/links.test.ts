import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { listPages, root } from '../support/pages.ts';

/** The anchors that headings of a page get, as code hosts make them. */
function listAnchors(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading] of readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)) {
    const base = (heading ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    let anchor = base;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${base}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;

const listLinks = (text: string): string[] =>
  [...text.replace(/```[\s\S]*?```/g, '').matchAll(LINK)].flatMap(([, target]) => target ?? []);

function findBrokenLinks(page: string): string[] {
  return listLinks(readFileSync(page, 'utf8')).flatMap((link) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), path);
    const broken = !existsSync(target) || (anchor !== undefined && !listAnchors(target).has(anchor));
    return broken ? [`${relative(root, page)}: ${link}`] : [];
  });
}

describe('documents', () => {
  const pages = listPages();

  test('every link leads to a page and a heading that exist', () => {
    assert.ok(pages.length > 20, 'no pages found: this test would prove nothing');
    assert.deepEqual(pages.flatMap(findBrokenLinks), []);
  });

  test('every page is in the index, or in the index of its folder', () => {
    const indexed = new Set(
      ['docs/README.md', 'docs/decisions/README.md'].flatMap((index) =>
        listLinks(readFileSync(join(root, index), 'utf8')).map((link) => join(dirname(index), link)),
      ),
    );
    const documents = pages
      .map((page) => relative(root, page))
      .filter((page) => /^docs\/.*(?<!README)\.md$/.test(page));
    assert.deepEqual(
      documents.filter((page) => !indexed.has(page)),
      [],
    );
  });

  test('every file of the repository that a page names exists', () => {
    const named =
      /`((?:src|test|service|contract|workflows|activities|bench|bin|config|docs)\/[\w./-]+\.(?:ts|mjs|md|json|yaml|sql))`/g;
    const missing = pages.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(named)].flatMap(([, file]) =>
        file === undefined || /NAME|[A-Z]{4}/.test(file) || existsSync(join(root, file))
          ? []
          : [`${relative(root, page)}: ${file}`],
      ),
    );
    assert.deepEqual(missing, []);
  });

  test('every row of a table follows its header', () => {
    const stray = pages.flatMap((page) => {
      const lines = readFileSync(page, 'utf8')
        .replace(/```[\s\S]*?```/g, (code) => code.replace(/^\|/gm, ''))
        .split('\n');
      return lines.flatMap((line, at) => {
        const begins = line.startsWith('|') && !lines[at - 1]?.startsWith('|');
        return begins && !lines[at + 1]?.startsWith('| ---') ? [`${relative(root, page)}:${at + 1}`] : [];
      });
    });
    assert.deepEqual(stray, []);
  });

  test('every page begins with a title, and its first words say what it answers', () => {
    for (const page of pages) {
      const [title, blank, first] = readFileSync(page, 'utf8').split('\n');
      assert.match(title ?? '', /^# \S/, relative(root, page));
      assert.equal(blank, '', relative(root, page));
      assert.match(first ?? '', /\S/, relative(root, page));
    }
  });
});
