/**
 * The drawings of docs/explanation/architecture.md, as Mermaid: the modules from the dependency rules, the states of a batch from
 * the statements that change them. `npm run docs` writes them; test/docs/drawings.test.ts fails when one is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LEDGER_RULES, MODULE_RULES } from '../test/support/dependency-rules.ts';
import { root } from '../test/support/imports.ts';

type Rules = Readonly<Record<string, readonly string[]>>;

const PAGE = join(root, 'docs/explanation/architecture.md');
const TRANSITIONS = join(root, 'src/ledger/batches/transitions.ts');

function listReached(rules: Rules, name: string): Set<string> {
  return new Set((rules[name] ?? []).flatMap((other) => [other, ...listReached(rules, other)]));
}

/** The rules without those that follow from others: with them a drawing has too many arrows to read. */
export function omitImplied(rules: Rules): Rules {
  const entries = Object.entries(rules).map(([name, others]) => {
    const implied = new Set(others.flatMap((other) => [...listReached(rules, other)]));
    return [name, others.filter((other) => !implied.has(other))] as const;
  });
  return Object.fromEntries(entries);
}

function drawRules(rules: Rules): string {
  const toNode = (name: string) => `${name.replace(/\W/g, '_')}["${name}"]`;
  const lines = Object.entries(omitImplied(rules)).map(([name, others]) =>
    [toNode(name), others.map((other) => other.replace(/\W/g, '_')).join(' & ')].filter(Boolean).join(' --> '),
  );
  return ['flowchart TD', ...lines].join('\n  ');
}

const FUNCTION = /^export async function (\w+)/gm;
const CHANGE = /^change\(\s*tx,\s*[^,]+,\s*now,\s*\[([^\]]+)\],\s*'(\w+)'/;

interface Transition {
  readonly from: string;
  readonly to: string;
  readonly by: string;
}

function readCall(by: string, call: string): Transition[] {
  const [, states, to] = CHANGE.exec(call) ?? [];
  if (states === undefined || to === undefined) throw new Error(`${by}: cannot read ${call.slice(0, 80)}`);
  return [...states.matchAll(/\w+/g)].map(([from]) => ({ from, to, by }));
}

/** Each change of a batch's state, by the name of the function that makes it. Throws when a call cannot be read. */
export function readTransitions(source: string): Transition[] {
  const [, ...parts] = source.split(FUNCTION);
  return parts.flatMap((by, at) => {
    if (at % 2 === 1) return [];
    const [, ...calls] = parts[at + 1]?.split(/await (?=change\()/) ?? [];
    return calls.flatMap((call) => readCall(by, call));
  });
}

function drawStates(source: string): string {
  const arrows = Map.groupBy(
    readTransitions(source).filter(({ from, to }) => from !== to),
    ({ from, to }) => `${from} --> ${to}`,
  );
  const lines = [...arrows].map(([arrow, changes]) => `${arrow}: ${changes.map(({ by }) => by).join(', ')}`);
  return ['stateDiagram-v2', '[*] --> planned', ...lines].join('\n  ');
}

/** The page with its drawings as the code has them now. */
export function redraw(page: string): string {
  const drawings = {
    modules: drawRules(MODULE_RULES),
    ledger: drawRules(LEDGER_RULES),
    states: drawStates(readFileSync(TRANSITIONS, 'utf8')),
  };
  return Object.entries(drawings).reduce((text, [name, drawing]) => {
    const [begin, end] = [`<!-- ${name}: drawn by npm run docs -->\n`, `<!-- ${name}: end -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`the page has no place for the drawing of ${name}`);
    return `${text.slice(0, from)}${begin}\n\`\`\`mermaid\n${drawing}\n\`\`\`\n\n${text.slice(to)}`;
  }, page);
}

export const readArchitecturePage = (): string => readFileSync(PAGE, 'utf8');

if (import.meta.main) writeFileSync(PAGE, redraw(readArchitecturePage()));
