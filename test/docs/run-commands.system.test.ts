/** Runs the commands of the README and of the guides as a reader does, one guide after the other. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { listGuides, readShellBlocks, type ShellBlock } from '../support/shell-blocks.ts';
import { type GuideScene, openGuideScene } from './guide-scene.ts';
import { NOT_RUN } from './not-run.ts';

const RUN = /^(npx courier|courier|courier-service|npm run -s courier --|export|sqlite3|cd \/srv\/courier &&)\s/;
const isRun = (command: string) => RUN.test(command) && !NOT_RUN.some(({ pattern }) => pattern.test(command));
const isNotRun = (command: string) => NOT_RUN.some(({ pattern }) => pattern.test(command));

/** What works until it is stopped: the line that says that it is ready, and the code that a stop ends it with. */
const WORKER = { pattern: /^courier worker\b/, ready: /Working for/, code: 143 };
const LASTING: readonly (typeof WORKER)[] = [
  WORKER,
  { pattern: /^courier-service serve\b/, ready: /http:\/\/127\.0\.0\.1:\d+/, code: 0 },
];

/** Guides whose reader has a worker, started by what keeps it there: systemd, a container. */
const WITH_WORKER = new Set(['docs/guides/operate.md']);

const blocks = listGuides().flatMap(readShellBlocks);
const commands = blocks.flatMap((block) => block.commands.map((command) => ({ block, command })));
const at = ({ page, line }: ShellBlock) => `${page}:${line}`;

describe('what the guides show', () => {
  test('a command runs, or is listed with the reason why it cannot', () => {
    assert.ok(commands.length > 80, 'no commands found: this test would prove nothing');
    const unknown = commands.filter(({ command }) => !isRun(command) && !isNotRun(command));
    assert.deepEqual(
      unknown.map(({ block, command }) => `${at(block)}: ${command}`),
      [],
    );
  });

  test('every entry of the list matches a command', () => {
    const useless = NOT_RUN.filter(({ pattern }) => !commands.some(({ command }) => pattern.test(command)));
    assert.deepEqual(
      useless.map(({ pattern }) => String(pattern)),
      [],
    );
  });

  test('bash parses every block', () => {
    const wrong = blocks.flatMap((block) => {
      const { status, stderr } = spawnSync('bash', ['-n'], { input: block.commands.join('\n'), encoding: 'utf8' });
      return status === 0 ? [] : [`${at(block)}: ${stderr}`];
    });
    assert.deepEqual(wrong, []);
  });

  test('every command that can run ends as the guide says', { timeout: 600_000 }, async (t) => {
    const scene = await openGuideScene(t);
    const failures: string[] = [];
    const runGuide = async (...args: Parameters<typeof listFailures>) => {
      failures.push(...(await listFailures(...args)));
    };
    const [first, second] = [scene.createFolder('my-site'), scene.createFolder('readme')];
    await runGuide(scene, 'docs/guides/own-sites.md', first);
    await runGuide(scene, 'README.md', second);
    // Eight new pages, bought: what the other guides speak of.
    scene.publish(32);
    const bought = await run(scene, 'courier run --once', first);
    assert.match(bought.said, /8 submitted/);
    appendFileSync(join(first, 'courier.yaml'), NOTIFY);
    writeFileSync(join(first, 'submitted.txt'), 'http://127.0.0.1/old-page\n');
    const last = ['docs/guides/recover-a-ledger.md', 'docs/guides/host-the-service.md'];
    for (const page of listGuides())
      if (![...last, 'README.md', 'docs/guides/own-sites.md'].includes(page)) await runGuide(scene, page, first);
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(first, `.courier/ledger.db${suffix}`), { force: true });
    await runGuide(scene, 'docs/guides/recover-a-ledger.md', first);
    const third = scene.createFolder('host');
    const database = { COURIER_SERVICE_DATABASE: `sqlite:${join(third, 'service.db')}` };
    await runGuide({ ...scene, env: { ...scene.env, ...database } }, 'docs/guides/host-the-service.md', third);
    assert.deepEqual(failures, []);
  });
});

const NOTIFY = `
notify:
  channels:
    ops: { webhook: { url: { env: GUIDE_WEBHOOK } } }
`;

/** Runs the commands of a guide in their order, and stops what keeps working after the last one. */
async function listFailures(scene: GuideScene, page: string, folder: string): Promise<string[]> {
  const failures: string[] = [];
  const lasting: { readonly name: string; readonly code: number; readonly stop: () => Promise<Ran> }[] = [];
  const begin = async (name: string, command: string, { ready, code }: (typeof LASTING)[number]) => {
    const { isReady, stop } = await start(scene, command, folder, ready);
    lasting.push({ name, code, stop });
    if (!isReady) failures.push(`${name}: not ready within two minutes`);
  };
  try {
    if (WITH_WORKER.has(page)) await begin(`the worker of ${page}`, 'exec courier worker', WORKER);
    for (const block of readShellBlocks(page)) {
      let exports = '';
      for (const command of block.commands.filter(isRun)) {
        const filled = await scene.fill(command, folder);
        const name = `${at(block)}: ${command}`;
        const found = LASTING.find(({ pattern }) => pattern.test(filled));
        if (filled.startsWith('export ')) exports += `${filled}; `;
        else if (found !== undefined) await begin(name, `${exports}exec ${filled}`, found);
        else {
          const { code, said } = await run(scene, exports + filled, folder);
          if (code !== 0) failures.push(`${name} ends with ${code}:\n${said}`);
        }
      }
    }
  } finally {
    for (const { name, code: expected, stop } of lasting) {
      const { code, said } = await stop();
      if (code !== expected) failures.push(`${name} ends with ${code}, not ${expected}:\n${said}`);
    }
  }
  return failures;
}

interface Ran {
  readonly code: number | null;
  readonly said: string;
}

function spawnBash({ env }: GuideScene, command: string, folder: string) {
  const child = spawn('bash', ['-c', `set -o pipefail; ${command}`], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
  return { child, getSaid: () => said };
}

async function run(scene: GuideScene, command: string, folder: string): Promise<Ran> {
  const { child, getSaid } = spawnBash(scene, command, folder);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said: getSaid() };
}

/** Starts a command and waits until it says that it is ready, or has ended. */
async function start(scene: GuideScene, command: string, folder: string, ready: RegExp) {
  const { child, getSaid } = spawnBash(scene, command, folder);
  let isOver = false;
  const closed = once(child, 'close').finally(() => {
    isOver = true;
  });
  for (const until = Date.now() + 120_000; !ready.test(getSaid()) && !isOver && Date.now() < until; ) await pause(50);
  return {
    isReady: ready.test(getSaid()),
    async stop(): Promise<Ran> {
      child.kill('SIGTERM');
      const [code] = (await closed) as [number | null];
      return { code, said: getSaid() };
    },
  };
}
