import { createRequire } from 'node:module';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import { VERSION } from '../observability/version.ts';
import { createContextManager } from './trace-context.ts';

/** What a client and a worker are given so that they write traces. */
export interface Tracing {
  readonly client: readonly WorkflowClientInterceptor[];
  readonly activity: readonly ActivityInterceptorsFactory[];
  readonly sinks: InjectedSinks<never>;
  /** Sends what is left. Resolves after five seconds at the latest, also when the receiver does not respond. */
  close(): Promise<void>;
}

const CLOSE_MS = 5_000;

/** The interceptors that the code of workflows is bundled with when traces are written. */
export const TRACED_WORKFLOW_MODULES = ['@temporalio/interceptors-opentelemetry/lib/workflow-interceptors'];

/** Whether the standard variables of OpenTelemetry ask for traces. */
export function wantsTraces(env: NodeJS.ProcessEnv): boolean {
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_ENDPOINT ?? '';
  const exporter = env.OTEL_TRACES_EXPORTER ?? 'otlp';
  return endpoint !== '' && exporter === 'otlp' && env.OTEL_SDK_DISABLED?.toLowerCase() !== 'true';
}

/**
 * Opens traces where the variables ask for them; nothing is loaded otherwise. The packages are optional: `onMissing` gets a
 * message when one is not installed, and work continues without traces.
 */
export async function openTracing(
  env: NodeJS.ProcessEnv,
  onMissing: (message: string) => void,
): Promise<Tracing | null> {
  if (!wantsTraces(env)) return null;
  try {
    return await loadTracing();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    onMissing(
      `OTEL_EXPORTER_OTLP_ENDPOINT asks for traces, but their packages are not installed (${(error as Error).message.split('\n')[0]}). ` +
        `Everything works without traces. To have them, install ${listPackages()}; or unset the variable.`,
    );
    return null;
  }
}

function listPackages(): string {
  const { peerDependencies } = createRequire(import.meta.url)('../../package.json') as {
    peerDependencies?: Readonly<Record<string, string>>;
  };
  return Object.entries(peerDependencies ?? {})
    .map(([name, version]) => `${name}@${version}`)
    .join(' ');
}

async function loadTracing(): Promise<Tracing> {
  const [{ trace }, { OTLPTraceExporter }, resources, sdk, interceptors, worker] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-base'),
    import('@temporalio/interceptors-opentelemetry'),
    import('@temporalio/interceptors-opentelemetry/lib/worker/index.js'),
  ]);
  // Later ones win: OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES over our own name.
  const resource = resources.Resource.default()
    .merge(new resources.Resource({ 'service.name': 'courier', 'service.version': VERSION }))
    .merge(resources.envDetectorSync.detect() as InstanceType<typeof resources.Resource>);
  const processor = new sdk.BatchSpanProcessor(new OTLPTraceExporter());
  const provider = new sdk.BasicTracerProvider({ resource, spanProcessors: [processor] });
  provider.register({ contextManager: createContextManager() });
  return {
    client: [new interceptors.OpenTelemetryWorkflowClientInterceptor()],
    activity: [
      (context) => ({
        inbound: new interceptors.OpenTelemetryActivityInboundInterceptor(context),
        outbound: new interceptors.OpenTelemetryActivityOutboundInterceptor(context),
      }),
    ],
    sinks: { exporter: worker.makeWorkflowExporter(processor, resource) } as unknown as InjectedSinks<never>,
    async close() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
      trace.disable();
    },
  };
}
