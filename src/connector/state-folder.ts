import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { getConfigFolder } from '../config/files.ts';
import { localAddress, localUi } from '../temporal/local-server.ts';
import { namesServer } from '../temporal/settings.ts';

/** The folder of the local server for a configuration without a Temporal server. */
export const getStateFolder = (file: string): string => join(getConfigFolder(file), '.courier');

/** Whether a Temporal server is configured, or the local one of the folder runs. Loads none of Temporal's SDK. */
export const hasServer = ({ temporal }: Config, file: string): boolean =>
  namesServer(temporal) || localAddress(getStateFolder(file)) !== null;

/** The Web UI of the local server; null where another server is configured, or none runs. */
export const findLocalUi = ({ temporal }: Config, file: string): string | null =>
  namesServer(temporal) ? null : localUi(getStateFolder(file));
