import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../suites.ts';
import { openService } from '../support/service.ts';

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

function run(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): string {
  const options = { cwd, encoding: 'utf8', env: { ...process.env, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(program, args, options);
  assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

/** While the service of this process answers. */
async function runBeside(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [script], { cwd, env: { ...process.env, ...env } });
  return stdout;
}

/** A project that has the packed package and, of its dependencies, those that the client needs. */
function createProject(folder: string): string {
  const [stage, project] = [join(folder, 'stage'), join(folder, 'project')];
  mkdirSync(stage);
  run(process.execPath, [TSC, '--project', 'tsconfig.build.json', '--outDir', join(stage, 'dist')], ROOT);
  copyFileSync(join(ROOT, 'package.json'), join(stage, 'package.json'));
  run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], stage);
  const installed = join(project, 'node_modules/sitemap-courier');
  mkdirSync(installed, { recursive: true });
  const { version } = JSON.parse(readFileSync(join(stage, 'package.json'), 'utf8')) as { version: string };
  run('tar', ['-xzf', join(folder, `sitemap-courier-${version}.tgz`), '-C', installed, '--strip-components=1'], folder);
  mkdirSync(join(project, 'node_modules/@types'));
  for (const name of ['undici', 'typebox', '@types/node', 'undici-types'])
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  return project;
}

/** The program of the guide. */
const readExample = (): string =>
  /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(join(ROOT, 'docs/guides/client.md'), 'utf8'))?.[1] ?? '';

const COMPILER = [
  '--types',
  'node',
  '--strict',
  '--module',
  'nodenext',
  '--target',
  'es2024',
  '--exactOptionalPropertyTypes',
];

describe('sitemap-courier/client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'courier-client-'));
  let project = '';
  before(() => {
    project = createProject(folder);
  });
  after(() => rmSync(folder, { recursive: true }));

  test('the guide’s program compiles in a project of its own and buys once', async (t) => {
    const example = readExample();
    assert.ok(example.trim().split('\n').length <= 10, 'ten lines');
    writeFileSync(join(project, 'buy.ts'), example);
    run(process.execPath, [TSC, ...COMPILER, 'buy.ts'], project);
    const { client } = await openService(t, 'sqlite', { balance: '1', price: '0.25' });
    const env = { INDEXING_URL: client.baseUrl, INDEXING_KEY: client.key };
    assert.match(await runBeside('buy.js', project, env), /^bought sub_\S+ left: 0\.75 TRY\nqueued \[/);
    assert.match(await runBeside('buy.js', project, env), /^bought before sub_\S+ left: 0\.75 TRY/);
  });

  test('its types refuse what the contract does not have', () => {
    const wrong = [
      "client.submit({ urls: ['https://a.example/'], service: 'slow' });",
      "client.submit({ urls: ['https://a.example/'], servise: 'fast' });",
      "client.listSubmissions({ status: 'done' });",
      'const price: string = await client.getBalance();',
    ];
    const head =
      "import { createClient } from 'sitemap-courier/client';\nconst client = createClient({ baseUrl: 'x', apiKey: 'x' });\n";
    // An expected error that does not come is an error itself.
    const lines = wrong.map((line) => `// @ts-expect-error\n${line}\n`).join('');
    writeFileSync(join(project, 'wrong.ts'), `${head}${lines}export {};\n`);
    run(process.execPath, [TSC, ...COMPILER, '--noEmit', 'wrong.ts'], project);
  });
});
