import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { readConfig } from './load.ts';

describe('the example configurations', () => {
  test('the example configuration and the one in the README are valid', () => {
    const example = readFileSync(new URL('../../config/courier.example.yaml', import.meta.url), 'utf8');
    assert.equal(readConfig(example, 'courier.example.yaml').watches.size, 1);
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const [, yaml] = /```yaml\n([\s\S]*?)```/.exec(readme) ?? [];
    assert.equal(readConfig(yaml ?? '', 'README.md').watches.size, 1);
  });
});
