import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { SettingsError } from '../../settings-error.ts';
import { readEnvironment } from './environment.ts';
import { ConfigFile } from './schema.ts';

const fits = new Ajv({ strict: false }).compile<ConfigFile>(ConfigFile);

/** Reads and checks a YAML (or JSON) file. Throws a SettingsError that names the setting. */
export function readConfig(path: string): ConfigFile {
  return check(readYaml(path), path);
}

/**
 * The settings of a file, if there is one, with those of the environment above them. Throws a SettingsError that names
 * the setting, and where it comes from.
 */
export function readSettings(path: string | undefined, env: NodeJS.ProcessEnv): ConfigFile {
  const file = path === undefined ? {} : readConfig(path);
  return check(readEnvironment(env, file as Tree), 'the environment variables with the configuration file');
}

type Tree = Record<string, unknown>;

function readYaml(path: string): unknown {
  try {
    return parse(readFileSync(path, 'utf8')) ?? {};
  } catch (error) {
    throw new SettingsError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

function check(read: unknown, source: string): ConfigFile {
  if (fits(read)) return read;
  const [first] = fits.errors ?? [];
  const place = `${first?.instancePath.slice(1).replaceAll('/', '.') || 'the file'}`;
  const named = first?.params.additionalProperty ?? '';
  throw new SettingsError(`${source}: ${place} ${first?.message ?? 'is not valid'} ${named}`.trim());
}
