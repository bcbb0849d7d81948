import { createRequire } from 'node:module';
import { Ajv } from 'ajv';

/*
 * The service compiles its schemas at each start, which takes longer than a simulated day. One process plays many starts
 * of the same schemas: each is compiled once. Imported before the service is loaded.
 */

type Compile = (route: { readonly schema: object }) => unknown;
type BuildSerializer = (external: unknown, options: unknown) => Compile;

function once<T>(kept: Map<string, T>, key: string, make: () => T): T {
  const known = kept.get(key) ?? make();
  kept.set(key, known);
  return known;
}

/** The same for what is made of a schema. Most are constants, and known without writing them down. */
class OfSchemas {
  readonly #byIdentity = new WeakMap<object, unknown>();
  readonly #byText = new Map<string, unknown>();

  once(schema: object, make: () => unknown): unknown {
    const known = this.#byIdentity.get(schema) ?? once(this.#byText, JSON.stringify(schema), make);
    this.#byIdentity.set(schema, known);
    return known;
  }
}

function keepSerializers(): void {
  const require = createRequire(createRequire(import.meta.url).resolve('fastify'));
  const name = '@fastify/fast-json-stringify-compiler';
  const original = require(name) as () => BuildSerializer;
  const kept = new Map<string, OfSchemas>();
  require.cache[require.resolve(name)]!.exports = (): BuildSerializer => {
    const build = original();
    return (external, options) => {
      const compile = build(external, options);
      const mine = once(kept, JSON.stringify(external), () => new OfSchemas());
      return (route) => mine.once(route.schema, () => compile(route));
    };
  };
}

function keepValidators(): void {
  const { compile } = Ajv.prototype;
  const kept = new WeakMap<object, OfSchemas>();
  Ajv.prototype.compile = function compileOnce(this: Ajv, schema: object) {
    const mine = kept.get(this) ?? new OfSchemas();
    kept.set(this, mine);
    return mine.once(schema, () => compile.call(this, schema));
  } as typeof compile;
}

/** The router of the service makes its code at each start, from the same texts. It has no closure, so one serves all. */
function keepGeneratedCode(): void {
  const kept = new Map<string, unknown>();
  globalThis.Function = new Proxy(Function, {
    construct: (target, texts: string[]) => once(kept, texts.join('\0'), () => new target(...texts)) as object,
  });
}

interface Plugin {
  readonly name: string;
  [DISPLAY_NAME]?: string;
}
const DISPLAY_NAME = Symbol.for('fastify.display-name');

/** Fastify looks for the name of a plugin that has none among all loaded modules, at each start. */
function namePlugins(): void {
  const require = createRequire(createRequire(import.meta.url).resolve('fastify'));
  const utils = require('./lib/plugin-utils.js') as { registerPlugin(this: unknown, plugin: Plugin): unknown };
  const { registerPlugin } = utils;
  utils.registerPlugin = function registerNamed(plugin) {
    plugin[DISPLAY_NAME] ??= plugin.name || 'a plugin';
    return registerPlugin.call(this, plugin);
  };
}

keepSerializers();
keepValidators();
keepGeneratedCode();
namePlugins();
