import type { Config } from '../../config/config.ts';
import { loadConfig } from '../../config/load.ts';
import { type Supervised, startProgram, supervise } from './processes.ts';
import { type DemoSite, startDemoSite } from './site.ts';
import type { NamedSource } from './sources.ts';
import type { DemoState } from './state.ts';
import { startDemoTemporal } from './temporal-server.ts';
import { demoConfig } from './watch-config.ts';

export interface Stack {
  readonly config: Config;
  readonly configFile: string;
  /** Null when the user named sitemaps of their own. */
  readonly site: DemoSite | null;
  readonly temporalAddress: string;
  readonly uiUrl: string;
  readonly baseUrl: string;
  stop(): Promise<void>;
}

export interface StackOptions {
  readonly state: DemoState;
  readonly sources: readonly NamedSource[];
  readonly say: (line: string) => void;
  /** Called after too many restarts of a program. */
  readonly gaveUp: (reason: string) => void;
}

/** Starts everything that the demo needs: Temporal, the sandbox, the demo site and a worker, each a program of its own. */
export async function startStack({ state, sources, say, gaveUp }: StackOptions): Promise<Stack> {
  const started: { stop(): Promise<void> }[] = [];
  const stop = async () => {
    for (const each of started.reverse().splice(0)) await each.stop();
  };
  const keep = async (name: string, start: Parameters<typeof supervise>[0]['start']): Promise<Supervised> => {
    const program = await supervise({ name, start }, say, gaveUp);
    started.push(program);
    return program;
  };
  try {
    await keep('Temporal server', async () => (await startDemoTemporal(state, say)).process);
    const { temporalPort, uiPort } = state.memory;
    const temporalAddress = `127.0.0.1:${temporalPort}`;

    let baseUrl = '';
    const sandbox = keep('service', () =>
      startProgram(
        'src/sandbox/sandbox',
        [
          ...['--database', `sqlite:${state.path('service.db')}`, '--port', String(state.memory.servicePort)],
          ...['--temporal', temporalAddress, '--key-file', state.path('api-key')],
        ],
        ({ type, base_url: listening }) => {
          if (type !== 'listening') return false;
          baseUrl = String(listening);
          state.remember({ servicePort: Number(new URL(baseUrl).port) });
          return true;
        },
      ),
    );
    const site =
      sources.length > 0
        ? null
        : await startDemoSite({ port: state.memory.sitePort, published: state.memory.published });
    if (site !== null) {
      started.push({ stop: () => site.close() });
      state.remember({ sitePort: site.port });
    }
    await sandbox;

    const configFile = state.path('courier.yaml');
    const text = demoConfig({
      baseUrl,
      temporalAddress,
      keyFile: state.path('api-key'),
      ledgerFile: state.path('ledger.db'),
      demoSitemap: site?.sitemap ?? null,
      sources,
    });
    state.write('courier.yaml', text);
    await keep('worker', () =>
      startProgram(
        'src/cli/main',
        ['worker', '--config', configFile, '--json', '--quiet'],
        ({ type }) => type === 'ready',
      ),
    );
    return {
      config: loadConfig(configFile),
      configFile,
      site,
      temporalAddress,
      uiUrl: `http://127.0.0.1:${uiPort}`,
      baseUrl,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
