import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { namesServer, resolveTemporal, type TemporalSettings } from './settings.ts';

const CLOUD = 'cloud.example:7233';

/** Resolves settings with these variables and no profile. */
function resolveWith(variables: Record<string, string>, settings: Partial<TemporalSettings> = {}) {
  const before = { ...process.env };
  Object.assign(process.env, { TEMPORAL_CONFIG_FILE: '/nonexistent/temporal.toml' }, variables);
  try {
    return {
      ...resolveTemporal({ address: '', namespace: '', ...settings }),
      names: namesServer({ address: settings.address ?? '' }),
    };
  } finally {
    process.env = before;
  }
}

describe('Temporal settings', () => {
  test('without an address, the TEMPORAL_* variables give address, namespace, API key and TLS', () => {
    const variables = { TEMPORAL_ADDRESS: CLOUD, TEMPORAL_NAMESPACE: 'shop.a1', TEMPORAL_API_KEY: 'k' };
    const { options, namespace, names } = resolveWith(variables);
    assert.ok(names);
    assert.equal(options.address, CLOUD);
    assert.equal(options.apiKey, 'k');
    assert.ok(options.tls);
    assert.equal(namespace, 'shop.a1');
  });

  test('a configured address keeps the API key and TLS of an environment that names no server, or the same', () => {
    for (const named of [{}, { TEMPORAL_ADDRESS: CLOUD.toUpperCase() }]) {
      const { options, namespace } = resolveWith(
        { TEMPORAL_API_KEY: 'k', TEMPORAL_NAMESPACE: 'shop.a1', ...named },
        { address: CLOUD },
      );
      assert.deepEqual([options.address, options.apiKey, options.tls], [CLOUD, 'k', true]);
      assert.equal(namespace, 'shop.a1');
    }
  });

  test('a configured address keeps the TLS of a client certificate', () => {
    const { options } = resolveWith(
      { TEMPORAL_TLS: 'true', TEMPORAL_TLS_SERVER_NAME: 'temporal.example' },
      { address: CLOUD },
    );
    assert.equal((options.tls as { serverNameOverride?: string }).serverNameOverride, 'temporal.example');
  });

  test('a configured namespace comes before that of the environment', () => {
    const { namespace } = resolveWith({ TEMPORAL_ADDRESS: CLOUD, TEMPORAL_NAMESPACE: 'other' }, { namespace: 'shop' });
    assert.equal(namespace, 'shop');
  });

  test('the credentials of an environment that names another server are not sent to a configured address', () => {
    const { options, namespace, unusedCredentialsOf } = resolveWith(
      { TEMPORAL_ADDRESS: CLOUD, TEMPORAL_API_KEY: 'k', TEMPORAL_NAMESPACE: 'shop.a1' },
      { address: 'temporal.example:7233' },
    );
    assert.deepEqual(options, { address: 'temporal.example:7233' });
    assert.deepEqual([namespace, unusedCredentialsOf], ['default', CLOUD]);
  });

  test('a server of our own takes nothing of the environment', () => {
    const { options, namespace } = resolveWith(
      { TEMPORAL_API_KEY: 'k', TEMPORAL_NAMESPACE: 'shop.a1' },
      { address: '127.0.0.1:7233', local: true },
    );
    assert.deepEqual([options, namespace], [{ address: '127.0.0.1:7233' }, 'default']);
  });
});
