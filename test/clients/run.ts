/**
 * `npm run test:clients`: generates clients from the running service's /openapi.json with two stock generators (npm and
 * PyPI), checks their types and runs each against the service. Installs the generators into a temporary folder that the
 * next run uses again; exits with 77 when they cannot be installed here.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseTry } from '../../contract/money.ts';
import { startService } from '../../service/serve.ts';

const EXIT_CANNOT_RUN = 77;
const TYPESCRIPT = ['@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3', '@types/node@24.19.2'];
const PYTHON = ['openapi-python-client==0.29.1', 'mypy==2.4.1'];
const tools = join(tmpdir(), 'courier-client-generators-2');
const here = fileURLToPath(new URL('.', import.meta.url));

interface Generated {
  readonly name: string;
  /** Installs the generator. Returns what went wrong. */
  install(): string | null;
  /** Generates, checks types and returns the command of the smoke run. Throws when a step fails. */
  build(folder: string, contract: string): readonly [program: string, ...args: string[]];
}

function step(what: string, program: string, args: readonly string[], cwd: string): void {
  const env = { ...process.env, PATH: `${join(tools, 'python', 'bin')}${delimiter}${process.env.PATH ?? ''}` };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${what} failed:\n${stdout}${stderr}`);
}

const typescript: Generated = {
  name: 'TypeScript (@hey-api/openapi-ts)',
  install() {
    const folder = join(tools, 'typescript');
    if (existsSync(join(folder, 'node_modules', '.bin', 'openapi-ts'))) return null;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const args = ['install', '--no-audit', '--no-fund', '--save-exact', ...TYPESCRIPT];
    const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
    return status === 0 ? null : stderr;
  },
  build(folder, contract) {
    const modules = join(tools, 'typescript', 'node_modules');
    symlinkSync(modules, join(folder, 'node_modules'));
    const generator = join(modules, '.bin', 'openapi-ts');
    step(
      'generating',
      process.execPath,
      [generator, '-i', contract, '-o', 'client', '-c', '@hey-api/client-fetch'],
      folder,
    );
    copyFileSync(join(here, 'smoke-typescript.txt'), join(folder, 'smoke.ts'));
    const options = [
      '--strict',
      '--esModuleInterop',
      '--module',
      'commonjs',
      '--moduleResolution',
      'node10',
      '--target',
      'es2022',
    ];
    step(
      'tsc',
      process.execPath,
      [join(modules, 'typescript', 'bin', 'tsc'), ...options, '--outDir', 'out', 'smoke.ts'],
      folder,
    );
    return [process.execPath, join(folder, 'out', 'smoke.js')];
  },
};

const python: Generated = {
  name: 'Python (openapi-python-client)',
  install() {
    const folder = join(tools, 'python');
    if (existsSync(join(folder, 'bin', 'openapi-python-client'))) return null;
    const made = spawnSync('python3', ['-m', 'venv', folder], { encoding: 'utf8' });
    if (made.error !== undefined || made.status !== 0) return 'python3 -m venv does not work here';
    const { status, stderr } = spawnSync(join(folder, 'bin', 'pip'), ['install', '-q', ...PYTHON], {
      encoding: 'utf8',
    });
    if (status !== 0) rmSync(folder, { recursive: true, force: true });
    return status === 0 ? null : stderr;
  },
  build(folder, contract) {
    const bin = join(tools, 'python', 'bin');
    const args = ['generate', '--path', contract, '--output-path', 'client', '--meta', 'none', '--fail-on-warning'];
    step('generating', join(bin, 'openapi-python-client'), args, folder);
    const name = 'queued_url_submission_service_client';
    symlinkSync('client', join(folder, name));
    copyFileSync(join(here, 'smoke.py'), join(folder, 'smoke.py'));
    step('compileall', join(bin, 'python'), ['-m', 'compileall', '-q', 'client'], folder);
    // What the generator itself writes is not strict; our use of it is.
    step('mypy', join(bin, 'mypy'), ['--strict', '--follow-imports=silent', 'smoke.py'], folder);
    return [join(bin, 'python'), join(folder, 'smoke.py')];
  },
};

const folder = mkdtempSync(join(tmpdir(), 'courier-clients-'));
const service = await startService({ database: `sqlite:${join(folder, 'service.db')}` });
try {
  const contract = join(folder, 'openapi.json');
  writeFileSync(contract, await (await fetch(`${service.baseUrl}/openapi.json`)).text());
  const [balance, price] = [parseTry('100'), parseTry('0.25')];
  if (balance === null || price === null) throw new Error('no amount');
  const { id } = await service.accounts.createAccount({ name: 'clients', balance, price });
  const { apiKey } = await service.accounts.createKey({ account: id });
  for (const [index, client] of [typescript, python].entries()) {
    const problem = client.install();
    if (problem !== null) {
      process.stderr.write(`${client.name} was not run: its generator cannot be installed: ${problem.trim()}\n`);
      process.exitCode = EXIT_CANNOT_RUN;
      continue;
    }
    const own = join(folder, String(index));
    mkdirSync(own);
    const [program, ...args] = client.build(own, contract);
    // Not synchronously: the service that it asks lives in this process.
    const smoke = spawn(program, [...args, service.baseUrl, apiKey], { cwd: own, stdio: 'inherit' });
    const [code] = (await once(smoke, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`the smoke run of ${client.name} failed`);
    process.stdout.write(`${client.name}: generated, compiled, and every operation answered\n`);
  }
} finally {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
}
