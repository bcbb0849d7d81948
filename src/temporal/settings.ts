import { loadClientConnectConfig } from '@temporalio/envconfig';

/** The settings of the Temporal server. Reading them loads none of Temporal's SDK. */
export interface TemporalSettings {
  /** `host:port`; empty: the TEMPORAL_* variables and profiles of Temporal's own tools. */
  readonly address: string;
  readonly namespace: string;
}

export interface ResolvedTemporal {
  readonly options: ReturnType<typeof loadClientConnectConfig>['connectionOptions'];
  readonly namespace: string;
}

/** Whether the configuration or the environment names a server, so that no local one is started. */
export function namesServer(settings: Pick<TemporalSettings, 'address'>): boolean {
  if (settings.address !== '') return true;
  return (loadClientConnectConfig().connectionOptions.address ?? '') !== '';
}

/** TLS, API key and headers come from the environment or its profile, and only where no address is configured. */
export function resolveTemporal(settings: TemporalSettings): ResolvedTemporal {
  if (settings.address !== '') return { options: { address: settings.address }, namespace: settings.namespace };
  const { connectionOptions, namespace } = loadClientConnectConfig();
  return { options: connectionOptions, namespace: namespace ?? settings.namespace };
}
