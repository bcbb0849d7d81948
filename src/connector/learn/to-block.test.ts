import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { toBlock } from './to-block.ts';

const raw = { base_url: 'https://a.example', api_key: { env: 'KEY' }, status_map: { url: { failed: ['kötü'] } } };
const decided = { why: 'seen', decided: true };

describe('toBlock', () => {
  test('keeps what the file has under the same name, and adds what was found once', () => {
    const block = toBlock('main', raw, [
      { setting: 'status_map.url.failed', values: ['hata: "1"'], ...decided },
      { setting: 'status_map.job.completed', values: ['#bitti'], ...decided },
      { setting: 'field_names.jobs', values: ['a.b'], ...decided },
      { setting: 'amounts', values: ['decimal_comma'], ...decided },
      { setting: 'limits.requests.minute', values: [60], ...decided },
    ]);
    assert.deepEqual(parse(block ?? ''), {
      accounts: {
        main: {
          field_names: { jobs: ['a.b'] },
          status_map: { url: { failed: ['kötü', 'hata: "1"'] }, job: { completed: ['#bitti'] } },
          limits: { requests: { minute: 60 } },
          amounts: 'decimal_comma',
        },
      },
    });
    assert.deepEqual(raw.status_map.url.failed, ['kötü'], 'the configuration itself is left as it is');
  });

  test('asks as a comment what only you can say, and is nothing without a proposal', () => {
    const question = { setting: 'status_map.url', values: ['x\n  evil: 1'], why: 'no job shows it', decided: false };
    const block = toBlock('main', raw, [question]);
    assert.equal(parse(block ?? ''), null, 'nothing that could take the place of the account');
    assert.match(block ?? '', /^# accounts\.main\.status_map\.url: no job shows it \("x\\n {2}evil: 1"\)$/m);
    assert.equal(toBlock('main', raw, []), null);
  });
});
