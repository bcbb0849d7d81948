import { SettingsError } from '../../settings-error.ts';
import { listSettings, type Setting } from './schema.ts';

type Tree = Record<string, unknown>;

/**
 * Lays the settings of the environment over those of a file. An empty variable counts as not set. Throws a
 * SettingsError for a value that cannot be read as its type.
 */
export function readEnvironment(env: NodeJS.ProcessEnv, file: Tree): Tree {
  const tree = structuredClone(file);
  for (const setting of listSettings()) {
    const value = env[setting.variable];
    if (value === undefined || value === '') continue;
    place(tree, setting.key.split('.'), toValue(setting, value));
  }
  return tree;
}

const PREFIX = 'COURIER_SERVICE_';

/** Variables that look like settings but are not: spelling mistakes, in most cases. */
export function findUnknownVariables(env: NodeJS.ProcessEnv, secrets: readonly string[]): string[] {
  const known = new Set([...listSettings().map(({ variable }) => variable), `${PREFIX}CONFIG`, ...secrets]);
  return Object.keys(env).filter((name) => name.startsWith(PREFIX) && !known.has(name));
}

function toValue({ variable, schema }: Setting, text: string): unknown {
  switch (schema.type) {
    case 'integer':
    case 'number': {
      const value = Number(text);
      // 3.000 is three thousand to some readers, and three to `Number`.
      if (schema.type === 'integer' ? /^\s*-?\d+\s*$/.test(text) : text.trim() !== '' && Number.isFinite(value))
        return value;
      throw new SettingsError(`${variable} must be a number, in digits alone, not "${text}"${LINKS}`);
    }
    case 'boolean':
      if (text === 'true' || text === 'false') return text === 'true';
      throw new SettingsError(`${variable} must be true or false, not "${text}"`);
    case 'array':
      return text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');
    default:
      return text;
  }
}

/** The commonest cause of COURIER_SERVICE_PORT=tcp://… */
const LINKS =
  '. Kubernetes sets such variables for a Service that is named courier-service: set enableServiceLinks: false';

function place(tree: Tree, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    tree[name] = value;
    return;
  }
  const inner = (tree[name] ?? {}) as Tree;
  tree[name] = inner;
  place(inner, rest, value);
}
