import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Block } from './block.ts';
import { Damage } from './damage.ts';
import { Elements } from './elements.ts';
import { Place } from './place.ts';
import type { Sink } from './reader.ts';
import { OpenRecord } from './record.ts';
import { RecordLayouts } from './record-layout.ts';

/** Opens and closes the elements of a text that is nothing but tags without attributes. */
function readTags(text: string): { readonly elements: Elements; readonly problems: string[] } {
  const problems: string[] = [];
  const sink: Sink = {
    page: () => {},
    child: () => {},
    unusable: () => {},
    problem: (_code, severity, message, at) => problems.push(`${severity}: ${message}, ${at}`),
  };
  const [place, layouts] = [new Place(), new RecordLayouts()];
  const damage = new Damage(sink, place, layouts);
  const record = new OpenRecord(sink);
  const elements = new Elements({ sink, place, damage, record, layouts, alternates: false });
  place.block = new Block(Buffer.from(text));
  place.base = 1_000;
  for (const { 0: tag, 1: slash = '', 2: name = '', index } of text.matchAll(/<(\/?)(\w+)>/g)) {
    const hash = [...name].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, 0);
    const end = index + tag.length;
    if (slash === '') elements.start(index, 0, end - 1, end, hash);
    else elements.end(index, end, hash);
  }
  elements.finish();
  return { elements, problems: problems.filter((problem) => !problem.includes('namespace')) };
}

describe('the elements of a document', () => {
  test('are closed by the end tags that fit them', () => {
    const { elements, problems } = readTags('<urlset><url><loc></loc></url></urlset>');
    assert.deepEqual([elements.depth, elements.roots, elements.unclosed, problems], [0, 1, 0, []]);
  });

  test('are closed by an end tag of an element around them, with one report at its place', () => {
    const { elements, problems } = readTags('<urlset><x><y></x></urlset>');
    assert.equal(elements.depth, 0);
    assert.deepEqual(problems, ['error: an end tag that does not fit, 1014']);
  });

  test('stay open for an end tag that fits none of them', () => {
    const { elements, problems } = readTags('<urlset><x></z>');
    assert.deepEqual([elements.depth, elements.unclosed, problems.length], [2, 2, 1]);
  });

  test('get a root that is not written, which need not be closed', () => {
    const { elements, problems } = readTags('<url><loc></loc></url>');
    assert.deepEqual([elements.depth, elements.unclosed], [1, 0]);
    assert.deepEqual(problems, ['error: <url> outside of a root element, 1000']);
  });

  test('a record inside a record ends the outer one, and its end tag is a slip', () => {
    const { problems } = readTags('<urlset><url><url><loc></loc></url></url></urlset>');
    assert.ok(problems.includes('warning: a record inside a record, 1035'), problems.join('\n'));
  });

  test('a record that is never closed is damage', () => {
    const { problems } = readTags('<urlset><url><url><loc></loc></url></urlset>');
    assert.ok(problems.includes('error: a record that is never closed, 1013'), problems.join('\n'));
  });

  test('are at most 256 deep', () => {
    assert.equal(readTags(`<urlset>${'<x>'.repeat(255)}`).elements.depth, 256);
    assert.throws(() => readTags(`<urlset>${'<x>'.repeat(256)}`), /nested deeper than 256/);
  });
});
