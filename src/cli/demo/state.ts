import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CommandError, EXIT } from '../../cli-kit/exit-codes.ts';
import { makePrivateFolder } from '../../files/make-folder.ts';
import { isAlive } from '../../temporal/is-alive.ts';

/** What the demo keeps between two runs, beside its databases: ports (so that addresses stay) and the site's state. */
export interface DemoMemory {
  temporalPort: number;
  uiPort: number;
  servicePort: number;
  sitePort: number;
  /** Whether the demo site has published its new pages. */
  published: boolean;
  /** The Temporal server's process, to find one that a killed demo left behind. */
  temporalPid: number | null;
}

const DEFAULTS: DemoMemory = {
  temporalPort: 7233,
  uiPort: 8233,
  servicePort: 8080,
  sitePort: 8081,
  published: false,
  temporalPid: null,
};

/** The demo's folder: databases, the generated configuration, the sandbox's API key (readable by its owner only). */
export class DemoState {
  readonly folder: string;
  readonly memory: DemoMemory;

  private constructor(folder: string, memory: DemoMemory) {
    this.folder = folder;
    this.memory = memory;
  }

  static open(folder = resolve('.courier', 'demo'), fresh = false): DemoState {
    if (fresh) rmSync(folder, { recursive: true, force: true });
    makePrivateFolder(folder);
    return new DemoState(folder, { ...DEFAULTS, ...readMemory(join(folder, 'demo.json')) });
  }

  /** Keeps a second demo out of this folder while one is running. Returns the function that releases it. */
  lock(): () => void {
    const path = this.path('demo.pid');
    const holder = Number(this.read('demo.pid') ?? '0');
    if (holder > 0 && holder !== process.pid && isAlive(holder)) {
      throw new CommandError(
        EXIT.busy,
        `Another demo is running in ${this.folder} (process ${holder}), so this one did nothing. Stop the other one first.`,
      );
    }
    writeFileSync(path, String(process.pid));
    return () => rmSync(path, { force: true });
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Replaces the file whole, so that a kill in the middle leaves the old one. */
  write(name: string, text: string, mode = 0o644): void {
    const path = this.path(name);
    writeFileSync(`${path}.new`, text, { mode });
    renameSync(`${path}.new`, path);
  }

  read(name: string): string | null {
    return existsSync(this.path(name)) ? readFileSync(this.path(name), 'utf8') : null;
  }

  remember(change: Partial<DemoMemory>): void {
    Object.assign(this.memory, change);
    this.write('demo.json', `${JSON.stringify(this.memory, null, 2)}\n`);
  }
}

function readMemory(path: string): Partial<DemoMemory> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Partial<DemoMemory>;
  } catch {
    return {};
  }
}
