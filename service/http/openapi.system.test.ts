import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { ERROR_CODES } from '../../contract/errors.ts';
import { openService } from '../../test/support/service.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly security?: readonly unknown[];
  readonly responses: Record<
    string,
    {
      readonly headers: object;
      readonly links?: Record<string, { operationId: string }>;
      readonly content: Record<
        string,
        { readonly schema: object; readonly example?: unknown; readonly examples?: Record<string, { value: unknown }> }
      >;
    }
  >;
  readonly requestBody?: {
    readonly content: Record<
      string,
      { readonly schema: { readonly properties?: Record<string, { default?: unknown }> } }
    >;
  };
}

describe('GET /openapi.json', () => {
  test('spec 9: /openapi.json is OpenAPI 3.1.0, contract version 1.0.0, of every endpoint, status, header and error code', async (t) => {
    const { service } = await openService(t, 'sqlite');
    const response = await fetch(`${service.baseUrl}/openapi.json`);
    assert.equal(response.status, 200);
    const contract = (await response.json()) as {
      openapi: string;
      info: { version: string };
      servers: { url: string }[];
      paths: Record<string, Record<string, Operation>>;
    };
    assert.equal(contract.openapi, '3.1.0');
    assert.equal(contract.info.version, '1.0.0');
    assert.equal(contract.servers[0]?.url, '/api/v1');
    const operations = Object.entries(contract.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    assert.deepEqual(operations.sort(), [
      'get /',
      'get /balance',
      'get /me',
      'get /stats',
      'get /submissions',
      'get /submissions/{reference}',
      'post /index-check',
      'post /submissions',
    ]);

    const create = contract.paths['/submissions']!.post!;
    assert.deepEqual(Object.keys(create.responses), [
      '200',
      '202',
      '400',
      '401',
      '402',
      '404',
      '405',
      '408',
      '409',
      '413',
      '415',
      '422',
      '429',
      '431',
      '500',
      '503',
    ]);
    assert.equal(create.responses['202']!.links?.detail?.operationId, 'getSubmission');
    for (const name of [
      'X-RateLimit-Limit-Minute',
      'X-RateLimit-Remaining-Hour',
      'X-RateLimit-Reset-Day',
      'RateLimit',
      'RateLimit-Policy',
      'X-Request-Id',
      'Location',
    ]) {
      assert.ok(name in create.responses['202']!.headers, name);
    }
    assert.ok('Retry-After' in create.responses['429']!.headers);
    assert.ok(create.parameters?.some(({ name, required }) => name === 'Idempotency-Key' && required));
    assert.deepEqual(contract.paths['/']!.get!.security, []);
    const { properties } = create.requestBody!.content['application/json']!.schema;
    assert.equal(properties?.service?.default, 'standard', 'spec 2.3: the contract declares it');
    assert.equal(properties?.project?.default, 'API Submission');
    const accepts = new Ajv({ strict: false, formats: { uri: true } }).compile(
      create.requestBody!.content['application/json']!.schema,
    );
    const url = 'https://shop.example/a';
    assert.deepEqual(
      [{ url }, { urls: [url] }, { url, urls: [url] }, {}, { service: 'fast' }].map((body) => accepts(body)),
      [true, true, true, false, false],
      'spec 2.2: url or urls',
    );
    for (const methods of Object.values(contract.paths)) {
      for (const { operationId, responses } of Object.values(methods)) {
        for (const [status, { content }] of Object.entries(responses)) {
          const { schema, example, examples } = content['application/json']!;
          const given = example === undefined ? Object.values(examples ?? {}).map(({ value }) => value) : [example];
          assert.ok(given.length > 0, `${operationId} ${status} has no example`);
          for (const each of given) {
            const ajv = new Ajv({ strict: false, formats: { 'date-time': true } });
            assert.ok(ajv.validate(schema, each), `${operationId} ${status} ${ajv.errorsText()}`);
          }
        }
      }
    }
    const whole = JSON.stringify(contract);
    for (const code of Object.keys(ERROR_CODES)) assert.ok(whole.includes(`"${code}"`), code);
  });

  test('spec 9: the contract lints clean with Redocly', async (t) => {
    const { service } = await openService(t, 'sqlite');
    const folder = mkdtempSync(join(tmpdir(), 'courier-openapi-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'openapi.json');
    writeFileSync(file, await (await fetch(`${service.baseUrl}/openapi.json`)).text());
    const redocly = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url));
    const { status, stderr, stdout } = spawnSync(process.execPath, [redocly, 'lint', file], {
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    assert.equal(status, 0, stdout + stderr);
    assert.doesNotMatch(stderr, /warning/);
  });
});
