import { createRequire } from 'node:module';
import { Ajv } from 'ajv';

/*
 * The service compiles its schemas at each start, which takes longer than a simulated day. One process plays many starts
 * of the same schemas: each is compiled once. Imported before the service is loaded.
 */

type Compile = (route: { readonly schema: unknown }) => unknown;
type BuildSerializer = (external: unknown, options: unknown) => Compile;

function once<T>(kept: Map<string, T>, key: string, make: () => T): T {
  const known = kept.get(key) ?? make();
  kept.set(key, known);
  return known;
}

function keepSerializers(): void {
  const require = createRequire(createRequire(import.meta.url).resolve('fastify'));
  const name = '@fastify/fast-json-stringify-compiler';
  const original = require(name) as () => BuildSerializer;
  const kept = new Map<string, unknown>();
  require.cache[require.resolve(name)]!.exports = (): BuildSerializer => {
    const build = original();
    return (external, options) => {
      const compile = build(external, options);
      return (route) => once(kept, JSON.stringify([external, route.schema]), () => compile(route));
    };
  };
}

function keepValidators(): void {
  const { compile } = Ajv.prototype;
  const kept = new WeakMap<object, Map<string, unknown>>();
  Ajv.prototype.compile = function compileOnce(this: Ajv, schema: object) {
    const mine = kept.get(this) ?? new Map<string, unknown>();
    kept.set(this, mine);
    return once(mine, JSON.stringify(schema), () => compile.call(this, schema));
  } as typeof compile;
}

/** The router of the service makes its code at each start, from the same texts. It has no closure, so one serves all. */
function keepGeneratedCode(): void {
  const kept = new Map<string, unknown>();
  globalThis.Function = new Proxy(Function, {
    construct: (target, texts: string[]) => once(kept, texts.join('\0'), () => new target(...texts)) as object,
  });
}

/** Looks for the name of a plugin among all loaded modules, at each start. */
function forgetPluginFiles(): void {
  const require = createRequire(createRequire(import.meta.url).resolve('fastify'));
  const utils = require('./lib/plugin-utils.js') as { getPluginName: (plugin: { readonly name: string }) => string };
  utils.getPluginName = ({ name }) => name;
}

keepSerializers();
keepValidators();
keepGeneratedCode();
forgetPluginFiles();
