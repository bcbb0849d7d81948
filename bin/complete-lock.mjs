// npm run lock: regenerates a complete package-lock.json. npm leaves out the optional packages of other platforms when
// the registry at hand does not carry them all; "npm ci" then refuses the file, and other platforms miss their binary.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './checkout.mjs';

const OS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'sunos', 'win32'];
const CPU = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64'];

// In a folder without node_modules: what is installed here would shape the file otherwise.
const folder = mkdtempSync(join(tmpdir(), 'courier-lock-'));
copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
const npm = spawnSync('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund', '--loglevel=error'], {
  cwd: folder,
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (npm.status !== 0) process.exit(npm.status ?? 1);
const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
rmSync(folder, { recursive: true });

let added = 0;
for (const [path, entry] of Object.entries({ ...lock.packages })) {
  if (path === '') continue;
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (/[\^~<>*|\s]/.test(version) || lock.packages[`node_modules/${name}`] !== undefined) continue;
    const words = name.split(/[/-]/);
    const os = OS.filter((each) => words.includes(each));
    const cpu = CPU.filter((each) => words.includes(each));
    if (os.length === 0) continue;
    lock.packages[`node_modules/${name}`] = {
      version,
      ...(cpu.length === 0 ? {} : { cpu }),
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
      os,
    };
    added += 1;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(join(root, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`package-lock.json is complete; ${added} packages of other platforms added.\n`);
