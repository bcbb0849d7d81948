import { registerHooks } from 'node:module';

const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
const ROOT = new URL('../../', import.meta.url).href;

/**
 * Where an import of one of our own modules by another leads; null for any other import. Our imports are relative and have
 * their extension, so the address is all there is to find. Node would ask the file system about each folder above it and
 * look for a package.json, which takes a sixth of the time of a short command.
 */
export function resolveOwnModule(specifier: string, parent: string | undefined): string | null {
  const isOwn = specifier.startsWith('.') && specifier.endsWith(EXTENSION);
  if (!isOwn || parent === undefined || !parent.startsWith(ROOT) || !parent.endsWith(EXTENSION)) return null;
  return new URL(specifier, parent).href;
}

const format = EXTENSION === '.ts' ? 'module-typescript' : 'module';

registerHooks({
  resolve(specifier, context, nextResolve) {
    const url = resolveOwnModule(specifier, context.parentURL);
    return url === null ? nextResolve(specifier, context) : { url, format, shortCircuit: true };
  },
});
