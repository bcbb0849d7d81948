import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { PartialSettings } from '../../../service/serve.ts';
import type { Database } from '../../../src/database/database.ts';
import { sql } from '../../../src/database/sql.ts';
import type { Cleanup } from '../../support/cleanup.ts';
import { type Fate, openProxy } from '../../support/database-proxy.ts';
import type { SqliteFault } from '../../support/sqlite-faults.ts';
import type { PostgresFault, StorageFault } from './plan.ts';

const program = fileURLToPath(new URL('../../support/processes/faulty-service.ts', import.meta.url));
/** Until the server has carried out a statement whose answer nobody waits for. */
const CARRIED_OUT_MS = 30;

/** A service in a process of its own whose storage fails on order. */
export interface FaultyService {
  readonly baseUrl: string;
  /** The fault happens once, at statement `step` from now on. */
  arm(step: number, fault: StorageFault): Promise<void>;
  /** No fault from now on. Returns how many statements were run since arm(), 0 when the service is gone. */
  disarm(): Promise<number>;
  /** Starts it again if it was killed, with its clock ahead. Returns whether it was. */
  revive(aheadMs: number): Promise<boolean>;
}

/** `control` is a connection to the same database that meets no fault. */
export async function startFaultyService(
  t: Cleanup,
  control: Database,
  url: string,
  settings: PartialSettings,
): Promise<FaultyService> {
  let child: ChildProcess;
  let baseUrl = '';
  let database = url;
  let ordered = false;
  let gone: Promise<unknown>;
  const start = async (aheadMs: number) => {
    ordered = false;
    child = fork(program, [database, JSON.stringify(settings), String(aheadMs)], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    gone = once(child, 'exit');
    [{ baseUrl }] = (await once(child, 'message')) as [{ baseUrl: string }];
  };
  const isGone = () => child.exitCode !== null || child.signalCode !== null;
  const storage = control.dialect === 'postgres' ? await throughProxy() : bySqlite();

  function bySqlite() {
    const order = async (order: object): Promise<number> => {
      if (isGone()) return 0;
      child.send(order, () => undefined);
      const answered = once(child, 'message') as Promise<[{ statements: number }]>;
      const [{ statements }] = await Promise.race([answered, gone.then(() => [{ statements: 0 }] as const)]);
      return statements;
    };
    return {
      arm: async (step: number, fault: StorageFault) => {
        await order({ arm: { step, fault: fault as SqliteFault } });
      },
      disarm: () => order({ disarm: true }),
    };
  }

  async function throughProxy() {
    const direct = new URL(url);
    const proxy = await openProxy(direct);
    t.after(() => proxy.cut());
    database = Object.assign(new URL(direct), { hostname: '127.0.0.1', port: String(proxy.port) }).href;
    let statements = 0;

    async function meet(fault: PostgresFault, backend: number | null): Promise<Fate> {
      if (fault === 'terminate') {
        await control.run(sql`SELECT pg_terminate_backend(${backend})`);
        return 'pass';
      }
      if (!fault.startsWith('kill')) return fault as Fate;
      ordered = true;
      if (fault === 'kill-before') {
        child.kill('SIGKILL');
        return 'cut-before';
      }
      setTimeout(() => child.kill('SIGKILL'), CARRIED_OUT_MS);
      return 'swallow';
    }

    return {
      arm: async (step: number, fault: StorageFault) => {
        statements = 0;
        proxy.judge(({ backend }) => (++statements === step ? meet(fault as PostgresFault, backend) : 'pass'));
      },
      disarm: async () => {
        proxy.judge(() => 'pass');
        return statements;
      },
    };
  }

  await start(0);
  t.after(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  return {
    ...storage,
    get baseUrl() {
      return baseUrl;
    },
    async revive(aheadMs) {
      if (!ordered && !isGone()) return false;
      await gone;
      await start(aheadMs);
      return true;
    },
  };
}
