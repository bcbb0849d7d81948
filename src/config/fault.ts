import { parseDocument } from 'yaml';
import { maskSecrets } from './mask-secrets.ts';

/** A change to a configuration that a message proposes, at the setting that it is about. */
export type Remedy =
  | { readonly kind: 'write'; readonly value: unknown }
  | { readonly kind: 'rename'; readonly name: string }
  | { readonly kind: 'remove' };

/** Words of a message with the changes that they stand for, each of which corrects the setting alone. */
export interface Proposal {
  readonly before: string;
  readonly after: string;
  readonly remedies: readonly Remedy[];
}

/**
 * What is wrong with a setting, and what corrects it: the likeliest first. A message says the first of these of which the
 * checker accepts a change, and never another one (`try-remedies.ts`).
 */
export interface Fault {
  readonly says: string;
  readonly proposals?: readonly Proposal[];
  /** Whether the setting may be left out as well, where it is not required. */
  readonly removable?: boolean;
  /** Said where no proposal is accepted. */
  readonly otherwise?: string;
}

const toWrites = (values: readonly unknown[]): Remedy[] => values.map((value) => ({ kind: 'write', value }));

/** Values that say what the one in the file was meant to say. `name` stands before them, `after` behind. */
export const write = (values: readonly unknown[], { name = '', after = '' } = {}): Proposal => ({
  before: `; write ${name}`,
  after,
  remedies: toWrites(values),
});

/** Values that show the form, where nobody can tell what was meant. */
export const example = (values: readonly unknown[], name = ''): Proposal => ({
  before: `; write, for example, ${name}`,
  after: '',
  remedies: toWrites(values),
});

/** A word that differs from the value in a few letters; nothing for null. */
export const guess = (word: string | null): Proposal => ({
  before: '; did you mean ',
  after: '?',
  remedies: word === null ? [] : toWrites([word]),
});

/** The name that a setting was meant to have; nothing for null. */
export const rename = (name: string | null): Proposal => ({
  before: '; did you mean ',
  after: '?',
  remedies: name === null ? [] : [{ kind: 'rename', name }],
});

export const REMOVE: Remedy = { kind: 'remove' };

/** Every change of a fault. */
export const listRemedies = ({ proposals = [], removable = false }: Fault): Remedy[] => [
  ...proposals.flatMap(({ remedies }) => remedies),
  ...(removable ? [REMOVE] : []),
];

/** A message with the changes that it proposes. */
export interface Said {
  readonly message: string;
  readonly remedies: readonly Remedy[];
}

/** The sentence about a fault. Only what `isAccepted` is proposed, and no text that a mask would change. */
export function toSentence(fault: Fault, isAccepted: (remedy: Remedy) => boolean): Said {
  const isShown = (remedy: Remedy) => isAccepted(remedy) && maskSecrets(toShown(remedy)) === toShown(remedy);
  const proposals = (fault.proposals ?? []).map((each) => ({ ...each, remedies: each.remedies.filter(isShown) }));
  const chosen = proposals.find(({ remedies }) => remedies.length > 0);
  const { before = '', after = '', remedies = [] } = chosen ?? {};
  const isQuoted = after === '?';
  const shown = remedies.map((each) => (isQuoted ? `"${toShown(each).replaceAll('"', '')}"` : toShown(each)));
  const advice = chosen === undefined ? (fault.otherwise ?? '') : `${before}${toChoice(shown)}${after}`;
  const removes = fault.removable === true && isAccepted(REMOVE);
  return {
    message: `${fault.says}${advice}${removes ? `${advice === '' ? '; ' : ', or '}remove the setting` : ''}`,
    remedies: removes ? [...remedies, REMOVE] : remedies,
  };
}

const toShown = (remedy: Remedy): string =>
  remedy.kind === 'write' ? toYaml(remedy.value) : remedy.kind === 'rename' ? remedy.name : '';

/** "a", "a or b", "a, b or c". */
const toChoice = (shown: readonly string[]): string =>
  shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;

/** A value as a configuration writes it, on one line, in a list or not. */
export function toYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toYaml).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{ ${Object.entries(value)
      .map(([key, inner]) => `${toYaml(key)}: ${toYaml(inner)}`)
      .join(', ')} }`;
  }
  return typeof value === 'string' && !isPlain(value) ? JSON.stringify(value) : String(value);
}

/** Whether a text is read as itself without quotes, also within brackets. */
function isPlain(text: string): boolean {
  if (text === '' || /^[*%@&!|>"'#?-]|[#,[\]{}\p{Cc}]|: |\* /u.test(text)) return false;
  const { contents, errors } = parseDocument(`[${text}]`);
  return errors.length === 0 && JSON.stringify(contents) === JSON.stringify([text]);
}
