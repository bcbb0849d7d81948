// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of other files
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { generate } from './generate.ts';
import { JUDGEMENTS, readJudgements } from './judgements.ts';
import { listSources } from './modules.ts';

const EXAMPLE = 'test/mutate/example.ts';
// One program for all: reading it takes longer than the rest.
const all = generate([...listSources(), EXAMPLE]);
const made = all.filter(({ file }) => file === EXAMPLE).map(({ operator, shown }) => `${operator}: ${shown}`);

describe('the generator', () => {
  for (const expected of [
    'number: const LIMIT = 1000;',
    'number: const LIMIT = 0;',
    'condition: if (true) return a;',
    'condition: if (false) return a;',
    'condition: if (!(a < LIMIT && b !== null)) return a;',
    'logic: if (a < LIMIT) return a;',
    'logic: if (b !== null) return a;',
    'logic: if ((a < LIMIT) || (b !== null)) return a;',
    'comparison: if (a <= LIMIT && b !== null) return a;',
    'comparison: if (a >= LIMIT && b !== null) return a;',
    'comparison: if (a < LIMIT && b === null) return a;',
    "state: const found = await run('over');",
    "await: const found = run('next');",
    "state: await run('first');",
    'removed: ;',
    "order: await run('over'); const found = await run('next');",
    'arithmetic: return found - (b ?? Math.max(a, 2));',
    'arithmetic: return found;',
    'nullish: return found + (b);',
    'nullish: return found + (Math.max(a, 2));',
    'min-max: return found + (b ?? Math.min(a, 2));',
    'number: return found + (b ?? Math.max(a, 3));',
    "property: export const build = (a: number | null): Options => ({ state: 'first', });",
    "method: !all.every((each) => each > 1) && state === 'over';",
    "negation: all.some((each) => each > 1) && state === 'over';",
    'condition: if (false) throw new RangeError(`too many: ${count + 1}`);',
    'sql-drop-condition: export const select = (id: number) => sql`SELECT id FROM batches WHERE id = ${id + 1} AND 1 = 1`;',
    "number: export const select = (id: number) => sql`SELECT id FROM batches WHERE id = ${id + 2} AND state = 'planned'`;",
  ]) {
    test(`makes "${expected}"`, () => assert.ok(made.includes(expected), made.join('\n')));
  }

  test('changes nothing in sentences, in thrown errors, and no property that the compiler requires', () => {
    const useless = made.filter(
      (each) =>
        /blanks/.test(each) || /too many: .*count (-|\+ [02])/.test(each) || /^property: .*\(\{ \.\.\./.test(each),
    );
    assert.deepEqual(useless, []);
  });

  test('finds some thousands, in every module, each with an id of its own', () => {
    assert.ok(all.length > 5_000, String(all.length));
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
    const without = listSources().filter((file) => !all.some((each) => each.file === file));
    assert.ok(without.length < 15, without.join('\n'));
  });

  test('makes every mutation that is judged', () => {
    const ids = new Set(all.map(({ id }) => id));
    const gone = Object.keys(readJudgements()).filter((id) => !ids.has(id));
    assert.deepEqual(gone, [], 'the code has changed there: judge what it is now, and take these out');
  });

  test('has a reason for each judgement', () => {
    const bare = Object.entries(readJudgements()).filter(
      ([, { is, why }]) => !JUDGEMENTS.includes(is) || why.length < 20,
    );
    assert.deepEqual(bare, []);
  });
});
