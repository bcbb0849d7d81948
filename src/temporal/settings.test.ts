import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { namesServer, resolveTemporal } from './settings.ts';

/** Sets variables for one call. */
function withEnvironment<T>(variables: Record<string, string>, work: () => T): T {
  const before = { ...process.env };
  Object.assign(process.env, { TEMPORAL_CONFIG_FILE: '/nonexistent/temporal.toml' }, variables);
  try {
    return work();
  } finally {
    process.env = before;
  }
}

describe('Temporal settings', () => {
  test('without an address, the TEMPORAL_* variables give address, namespace, API key and TLS', () => {
    const variables = { TEMPORAL_ADDRESS: 'cloud.example:7233', TEMPORAL_NAMESPACE: 'shop.a1', TEMPORAL_API_KEY: 'k' };
    withEnvironment(variables, () => {
      assert.ok(namesServer({ address: '' }));
      const { options, namespace } = resolveTemporal({ address: '', namespace: 'default' });
      assert.equal(options.address, 'cloud.example:7233');
      assert.equal(options.apiKey, 'k');
      assert.ok(options.tls);
      assert.equal(namespace, 'shop.a1');
    });
  });

  test('a configured address stands alone: no API key of the environment is sent to it', () => {
    withEnvironment({ TEMPORAL_ADDRESS: 'cloud.example:7233', TEMPORAL_API_KEY: 'k' }, () => {
      const resolved = resolveTemporal({ address: '127.0.0.1:7233', namespace: 'default' });
      assert.deepEqual(resolved, { options: { address: '127.0.0.1:7233' }, namespace: 'default' });
    });
  });
});
