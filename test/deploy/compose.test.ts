import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { listSettings } from '../../service/cli/config/schema.ts';
import { isPinned, readYaml } from './files.ts';

interface Service {
  readonly image: string;
  readonly build?: { readonly target: string };
  readonly read_only?: boolean;
  readonly healthcheck?: unknown;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly ports?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const [compose] = readYaml<Compose>('compose/compose.yaml') as [Compose];
const services = Object.entries(compose.services);

function findMistakes(document: unknown): string[] {
  const schema = JSON.parse(readFileSync(new URL('compose.schema.json', import.meta.url), 'utf8')) as object;
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv);
  const isValid = ajv.compile({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' });
  return isValid(document)
    ? []
    : (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe('the compose file', () => {
  test('is one by the Compose Specification', () => {
    // x-… holds the part that services share.
    assert.deepEqual(findMistakes(compose), []);
    assert.notDeepEqual(findMistakes({ services: { a: { image: 'b:1.0', helthcheck: {} } } }), []);
  });

  test('pins every image, and waits for services that have a health check', () => {
    for (const [name, { image, build, depends_on = {} }] of services) {
      assert.ok(isPinned(image), `${name}: ${image}`);
      if (build !== undefined) assert.ok(['courier', 'courier-service'].includes(build.target));
      for (const [other, { condition }] of Object.entries(depends_on)) {
        assert.equal(condition, 'service_healthy', `${name} does not wait for ${other}`);
        const awaited = compose.services[other];
        assert.ok(awaited?.healthcheck !== undefined || awaited?.build !== undefined, `${other} has no health check`);
      }
    }
  });

  test('gives secrets as files only, and publishes nothing beyond this machine', () => {
    for (const [name, { environment = {}, secrets = [], ports = [] }] of services) {
      for (const [variable, value] of Object.entries(environment))
        assert.ok(!/password|key|token/i.test(variable) || value.startsWith('/run/secrets/'), `${name}: ${variable}`);
      for (const secret of secrets) assert.ok(secret in compose.secrets, secret);
      for (const port of ports) assert.match(port, /^127\.0\.0\.1:/, name);
    }
  });

  test('gives our programs a root that cannot be written to, and settings that exist', () => {
    const known = listSettings().map(({ variable }) => variable);
    for (const name of ['worker', 'service']) {
      assert.equal(compose.services[name]?.read_only, true);
      for (const variable of Object.keys(compose.services[name]?.environment ?? {}))
        assert.ok(known.includes(variable) || variable === 'PGPASSWORD_FILE', variable);
    }
  });
});
