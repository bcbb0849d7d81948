/**
 * The end of docs/reference/rest-api.md: which files test which rule of the specification, from the names of the tests themselves.
 * `npm run docs:api` writes it; rule-table.test.ts fails when the page differs.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { required } from '../../service/required.ts';

/** Every numbered rule and every table of the specification that a service can keep. */
const RULES: readonly (readonly [rule: string, says: string])[] = [
  ['2.2', 'body of POST /submissions'],
  ['2.3', 'service levels and their default'],
  ['2.6', 'envelope'],
  ['3', 'states and transitions'],
  ['4.1', 'GET /'],
  ['4.2', 'GET /me'],
  ['4.3', 'GET /balance'],
  ['4.4', 'GET /stats'],
  ['4.5', 'GET /submissions'],
  ['4.6', 'POST /submissions'],
  ['4.6 rule 1', 'charged at the current price, queued, 202'],
  ['4.6 rule 2', 'same key, same body: 200, no second charge'],
  ['4.6 rule 3', 'same key, other body: 409'],
  ['4.6 rule 4', 'balance too small: 402'],
  ['4.6 rule 5', 'invalid: 422'],
  ['4.6 rule 6', 'over the submission limit: 429'],
  ['4.6 rule 7', 'unavailable: 503'],
  ['4.6 rule 8', '400, 415 and 413'],
  ['4.7', 'GET /submissions/{reference}'],
  ['4.8', 'POST /index-check'],
  ['4.8 rule 1', '0.50 TRY per URL, after validation'],
  ['4.8 rule 2', 'a rejected check is not charged'],
  ['4.8 rule 3', 'a charge before a failure is restored'],
  ['4.8 rule 4', '503 is retryable, no charge stands'],
  ['4.8 rule 5', 'same-key retry'],
  ['5', 'authentication'],
  ['7', 'errors'],
  ['8', 'limits'],
  ['9', 'contract and version'],
];

const START = 'rule | tests\n';
const folder = fileURLToPath(new URL('../../service/', import.meta.url));
export const PAGE = fileURLToPath(new URL('../../docs/reference/rest-api.md', import.meta.url));

/** `spec 4.6 rule 2: what is promised`, as the first argument of a test or a group of tests. */
const NAME = /(?:serviceTest|test|describe)\(\s*(['`])spec ([\d.]+(?: rule \d+)?): (.*?)\1,/gs;

/** The test files of each rule. */
function findTests(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
  for (const file of files.sort()) {
    for (const [, , rule = ''] of readFileSync(join(folder, file), 'utf8').matchAll(NAME))
      found.set(rule, (found.get(rule) ?? new Set()).add(file));
  }
  return found;
}

const toLink = (file: string): string =>
  `[${basename(file).replace(/(\.system)?\.test\.ts$/, '')}](../../service/${file})`;

/** The page with its table regenerated. Throws when a rule has no test, or a test names a rule that is not there. */
export function withTable(page: string): string {
  const found = findTests();
  const untested = RULES.filter(([rule]) => !found.has(rule)).map(([rule]) => rule);
  if (untested.length > 0) throw new Error(`no test covers ${untested.join(', ')}`);
  const unknown = [...found.keys()].filter((rule) => !RULES.some(([known]) => known === rule));
  if (unknown.length > 0) throw new Error(`tests name rules that the table does not have: ${unknown.join(', ')}`);
  const rows = RULES.map(
    ([rule, says]) => `${rule}: ${says} | ${[...required(found.get(rule), rule)].map(toLink).join(', ')}`,
  );
  const [before] = page.split(START);
  return `${before}${START}---|---\n${rows.join('\n')}\n`;
}

if (import.meta.main) writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8')));
