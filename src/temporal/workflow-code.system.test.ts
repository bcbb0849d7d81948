import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';

describe('workflow code', () => {
  test('is bundled once, and again when a file that it imports has changed', (t) => {
    const { workflows, answer, store } = createWorkflows(t);
    assert.equal(readAnswer(workflows, store), '41');
    const [name = ''] = readdirSync(store);
    const { ino } = statSync(join(store, name));

    assert.equal(readAnswer(workflows, store), '41');
    assert.equal(statSync(join(store, name)).ino, ino, 'a second process bundled again');

    writeFileSync(answer, "export const answer = 'the answer is 42';");
    assert.equal(readAnswer(workflows, store), '42');
    assert.deepEqual(readdirSync(store), [name]);
  });

  test('that cannot be bundled is an error that names what is missing', (t) => {
    const { workflows, answer, store } = createWorkflows(t);
    rmSync(answer);
    assert.throws(() => readAnswer(workflows, store), /answer\.js/);
  });
});

const MODULE = fileURLToPath(new URL('./workflow-code.ts', import.meta.url));

/** In the checkout, because the SDK's modules are found from there; no types, because those of modules are not stripped. */
function createWorkflows(t: TestContext) {
  const scratch = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
  mkdirSync(scratch, { recursive: true });
  const folder = mkdtempSync(join(scratch, 'bundle-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [workflows, answer] = [join(folder, 'index.js'), join(folder, 'answer.js')];
  writeFileSync(workflows, "import { answer } from './answer.js';\nexport const ask = () => Promise.resolve(answer);");
  writeFileSync(answer, "export const answer = 'the answer is 41';");
  return { workflows, answer, store: join(folder, 'store') };
}

/** Bundles in a process of its own. */
function readAnswer(workflows: string, store: string): string {
  const script = `
    const { bundleWorkflows } = await import(${JSON.stringify(MODULE)});
    const { code } = await bundleWorkflows(${JSON.stringify(workflows)}, { store: ${JSON.stringify(store)} });
    console.log(/the answer is (\\d+)/.exec(code)[1]);`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script];
  return execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' }).trim();
}
