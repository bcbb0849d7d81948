import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What can be opened is judged as well. */
export const OPEN_ALL = "for (const each of document.querySelectorAll('details')) each.open = true";

/** Opens all that can be opened and returns what axe finds. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  await page.evaluate(OPEN_ALL);
  return page.evaluate(`axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(
    ({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`);
}
