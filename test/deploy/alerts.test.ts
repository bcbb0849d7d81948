import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../suites.ts';
import { readYaml } from './files.ts';

interface Rule {
  readonly alert: string;
  readonly annotations: Readonly<Record<string, string>>;
}

for (const [file, runbook] of [
  ['courier-alerts.yaml', 'docs/guides/runbook.md'],
  ['courier-service-alerts.yaml', 'docs/guides/service-runbook.md'],
] as const) {
  const [{ groups }] = readYaml<{ groups: { rules: Rule[] }[] }>(`prometheus/${file}`) as [
    { groups: { rules: Rule[] }[] },
  ];
  const rules = groups.flatMap((group) => group.rules);
  const sections = readFileSync(join(ROOT, runbook), 'utf8').split(/^## /m).slice(1);

  describe(`the alert rules of ${file}`, () => {
    test('have each a section in the runbook, in their order, and link to it', () => {
      assert.deepEqual(
        sections.map((text) => text.split('\n')[0]),
        rules.map(({ alert }) => alert),
      );
      for (const { alert, annotations } of rules)
        assert.equal(annotations.runbook_url, `${runbook}#${alert.toLowerCase()}`);
    });

    test('have sections that say what it means for URLs and money, and name a command or what to correct', () => {
      for (const section of sections) {
        assert.match(section, /\*\*URLs and\smoney:\*\* /, section.slice(0, 40));
        assert.match(section, /courier |courier-service |Top up|CPU|Postgres/, section.slice(0, 40));
      }
    });
  });
}
