import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { resolveOwnModule } from './resolve-modules.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const FOLDERS = ['activities', 'contract', 'service', 'src', 'workflows'];
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']*)'/g;
const parent = pathToFileURL(join(root, 'src/cli/main.ts')).href;

describe('resolving our own modules', () => {
  test('every relative import of the programs leads to the file that it names', () => {
    let imports = 0;
    for (const file of globSync(
      FOLDERS.map((folder) => `${folder}/**/*.ts`),
      { cwd: root },
    )) {
      if (file.endsWith('.test.ts')) continue;
      const path = join(root, file);
      for (const [, specifier = ''] of readFileSync(path, 'utf8').matchAll(IMPORT)) {
        const url = resolveOwnModule(specifier, pathToFileURL(path).href);
        if (url === null) continue;
        const found = fileURLToPath(url);
        assert.ok(existsSync(found), `${file} imports ${specifier}`);
        assert.equal(realpathSync(found), join(realpathSync(root), found.slice(root.length)));
        imports += 1;
      }
    }
    assert.ok(imports > 3_000, `${imports} imports`);
  });

  for (const [specifier, from] of [
    ['undici', parent],
    ['node:fs', parent],
    ['./data.json', parent],
    ['./main.ts?again', parent],
    ['./main.ts', undefined],
    ['./main.ts', 'data:text/javascript,'],
    ['./main.ts', 'file:///another/program/src/cli/program.ts'],
    ['./index.ts', new URL('../../node_modules/undici/index.js', import.meta.url).href],
  ] as const) {
    test(`${specifier} from ${from?.slice(-30) ?? 'the command line'} is left to Node`, () => {
      assert.equal(resolveOwnModule(specifier, from), null);
    });
  }

  test('an import leads from the folder of its module', () => {
    assert.equal(resolveOwnModule('../cli-kit/program.ts', parent), new URL('program.ts', import.meta.url).href);
  });
});
