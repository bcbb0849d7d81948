import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { startService } from '../../service/serve.ts';
import { courier, ofType, publish } from '../support/cli.ts';
import { emptyDatabaseUrl } from '../support/database.ts';
import { AMPLE } from '../support/service.ts';
import { openShopFolder } from '../support/shop-folder.ts';
import { temporalAddress } from '../support/temporal.ts';

/** The part of OpenTelemetry's protocol that the test reads. */
const { root } = protobuf.parse(
  `syntax = "proto3";
  message Value { string string_value = 1; }
  message Attribute { string key = 1; Value value = 2; }
  message Resource { repeated Attribute attributes = 1; }
  message Span { bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; repeated Attribute attributes = 9; }
  message ScopeSpans { repeated Span spans = 2; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Request { repeated ResourceSpans resource_spans = 1; }`,
);
const Request = root.lookupType('Request');

interface Attribute {
  readonly key: string;
  readonly value?: { readonly stringValue?: string };
}

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly attributes: readonly Attribute[];
}

interface ResourceSpans {
  readonly resource: { readonly attributes: readonly Attribute[] };
  readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
}

const getAttribute = ({ attributes }: { attributes: readonly Attribute[] }, name: string): string | undefined =>
  attributes.find(({ key }) => key === name)?.value?.stringValue;

/** A receiver of OTLP over HTTP that keeps what it gets. */
async function openReceiver(t: TestContext) {
  const bodies: Buffer[] = [];
  const server = createServer(async (request, response) => {
    if (request.url === '/v1/traces') bodies.push(await buffer(request));
    else response.statusCode = 404;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    listResourceSpans: (): ResourceSpans[] =>
      bodies.flatMap((body) => {
        const decoded = Request.toObject(Request.decode(body), { bytes: String, arrays: true });
        return decoded.resourceSpans as ResourceSpans[];
      }),
  };
}

function setEnvironment(t: TestContext, variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables);
  t.after(() => {
    for (const name of Object.keys(variables)) delete process.env[name];
  });
}

async function openShop(t: TestContext): Promise<string> {
  const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite'), settings: { budgets: AMPLE } });
  t.after(() => service.close());
  const folder = await openShopFolder(t, service, await temporalAddress(t));
  publish(folder, ['1', '2']);
  return folder;
}

describe('traces', () => {
  test('show a run from its workflow to its activities and its job, and hold neither key nor secrets of addresses', async (t) => {
    const receiver = await openReceiver(t);
    setEnvironment(t, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_SERVICE_NAME: 'courier-of-the-test' });
    const folder = await openShop(t);
    const config = join(folder, 'courier.yaml');
    // A sitemap that fails: its error is in the traces, the token of its address is not.
    const unreadable = `[sitemap.xml, "${receiver.url}/other.xml?token=secret-of-the-address"]`;
    writeFileSync(config, readFileSync(config, 'utf8').replace('[sitemap.xml]', unreadable));
    const done = await courier(folder, 'run', '--once');
    const run = ofType(done, 'run')[0] ?? assert.fail(done.stderr);
    assert.equal(done.code, 3, 'one of its sitemaps cannot be read');

    const resources = receiver.listResourceSpans();
    assert.equal(getAttribute(resources[0]!.resource, 'service.name'), 'courier-of-the-test');
    const spans = resources.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    const find = (name: string): Span =>
      spans.find((span) => span.name === name) ?? assert.fail(`${name} is not among ${spans.map((span) => span.name)}`);
    const workflow = find('RunWorkflow:watchSitemap');
    assert.equal(getAttribute(workflow, 'workflowId'), run.run, 'the run, which names the watch');
    for (const name of ['RunActivity:crawlWatch', 'RunActivity:planRun'])
      assert.deepEqual(
        [find(name).traceId, getAttribute(find(name), 'temporalWorkflowId')],
        [workflow.traceId, run.run],
        name,
      );
    assert.ok(spans.some(({ name, traceId }) => name.startsWith('RunWorkflow:track') || traceId === workflow.traceId));

    const sent = Buffer.concat(receiver.bodies);
    const key = readFileSync(join(folder, 'key'), 'utf8');
    for (const secret of [key, 'secret-of-the-address']) assert.ok(!sent.includes(secret), secret.slice(0, 6));
  });

  test('are not written without the variable, and nothing of OpenTelemetry is loaded', async (t) => {
    const folder = await openShop(t);
    // The process fails when it resolves one of the packages.
    const hook = `import { registerHooks } from 'node:module';
registerHooks({ resolve: (name, context, next) => {
  if (/interceptors-opentelemetry|sdk-trace-base|otlp/.test(name)) throw new Error('loaded ' + name);
  return next(name, context);
} });`;
    writeFileSync(join(folder, 'hook.mjs'), hook);
    setEnvironment(t, { NODE_OPTIONS: `--import=${join(folder, 'hook.mjs')}` });
    const done = await courier(folder, 'run', '--once');
    assert.equal(done.code, 0, done.stderr);
  });

  test('are left out with a message when their packages are not installed', async (t) => {
    setEnvironment(t, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    const folder = await openShop(t);
    const hook = `import { registerHooks } from 'node:module';
registerHooks({ resolve: (name, context, next) => {
  if (!/otlp-proto/.test(name)) return next(name, context);
  throw Object.assign(new Error("Cannot find package '" + name + "'"), { code: 'ERR_MODULE_NOT_FOUND' });
} });`;
    writeFileSync(join(folder, 'hook.mjs'), hook);
    setEnvironment(t, { NODE_OPTIONS: `--import=${join(folder, 'hook.mjs')}` });
    const done = await courier(folder, 'run', '--once', '--verbose');
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stderr, /asks for traces, but their packages are not installed \(Cannot find package/);
    const { peerDependencies } = JSON.parse(
      readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'),
    ) as { peerDependencies: Record<string, string> };
    for (const [name, version] of Object.entries(peerDependencies))
      assert.ok(done.stderr.includes(`${name}@${version}`));
  });

  test('never hold up a run: a receiver that does not respond costs nothing but the traces', async (t) => {
    setEnvironment(t, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    const done = await courier(await openShop(t), 'run', '--once');
    assert.equal(done.code, 0, done.stderr);
  });
});
