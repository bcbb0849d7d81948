import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readConfig } from './load.ts';

test('the example configuration and the one in the README are good', () => {
  const example = readFileSync(new URL('../../config/courier.example.yaml', import.meta.url), 'utf8');
  assert.equal(readConfig(example, 'courier.example.yaml').watches.size, 1);
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const [, yaml] = /```yaml\n([\s\S]*?)```/.exec(readme) ?? [];
  assert.equal(readConfig(yaml ?? '', 'README.md').watches.size, 1);
});
