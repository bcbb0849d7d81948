import { listRemedies, type Remedy } from './fault.ts';
import type { Path, Problem, YamlFile } from './yaml-file.ts';

/**
 * The changes that the checker accepts, by problem: of all faults at once, as you would make them, the first of each; then the next ones.
 * A fault must be gone afterwards, and no other one may be in its place. `inspect` checks changed files.
 */
export function findAccepted(
  files: readonly YamlFile[],
  problems: readonly Problem[],
  inspect: (files: readonly YamlFile[]) => readonly Problem[],
): ReadonlyMap<Problem, ReadonlySet<Remedy>> {
  const accepted = new Map(problems.map((problem) => [problem, new Set<Remedy>()]));
  // What is inside is changed before the name of what it is in.
  const tries = problems
    .map((problem) => ({ problem, remedies: listRemedies(problem.fault) }))
    .filter(({ remedies }) => remedies.length > 0)
    .toSorted((a, b) => b.problem.path.length - a.problem.path.length);
  const rounds = tries.reduce((most, { remedies }) => Math.max(most, remedies.length), 0);
  for (let round = 0; round < rounds; round++) {
    const changed = files.map((file) => ({ ...file, raw: structuredClone(file.raw) }));
    /** By place: of two faults of one setting, what the second one writes replaces what the first one has. */
    const made = new Map<string, readonly [Problem, Remedy | undefined]>();
    for (const { problem, remedies } of tries) {
      const next = remedies[round];
      const remedy = next ?? remedies.find((each) => accepted.get(problem)?.has(each));
      const tree = changed.find(({ file }) => file === problem.file)?.raw;
      if (remedy !== undefined && apply(tree, problem.path, remedy))
        made.set(`${problem.file}\n${problem.path.join('\n')}`, [problem, next]);
    }
    const left = inspect(changed);
    for (const [problem, remedy] of made.values())
      if (remedy !== undefined && !left.some((each) => isInPlace(each, problem, remedy)))
        accepted.get(problem)?.add(remedy);
  }
  return accepted;
}

/** Carries out a change. False where it cannot be made: nothing is there to change, or another setting has the name. */
export function apply(tree: unknown, path: Path, remedy: Remedy): boolean {
  const parent = path.slice(0, -1).reduce<unknown>((node, key) => (node as Tree | undefined)?.[key], tree) as Tree;
  const key = path.at(-1);
  if (key === undefined || typeof parent !== 'object' || parent === null) return false;
  if (remedy.kind === 'write') parent[key] = structuredClone(remedy.value);
  // The places of the other entries of a list are those of their faults.
  else if (Array.isArray(parent)) return false;
  else {
    if (remedy.kind === 'rename') {
      if (Object.hasOwn(parent, remedy.name)) return false;
      parent[remedy.name] = parent[key];
    }
    delete parent[key];
  }
  return true;
}

type Tree = Record<string, unknown>;

/**
 * Whether a fault that is left is about what was changed. The value of a setting with a new name may have faults of its own,
 * and what corrects an error may have a warning: the reader may mean it.
 */
function isInPlace(left: Problem, { path, level = 'error' }: Problem, remedy: Remedy): boolean {
  if (left.level === 'warning' && level === 'error') return false;
  const place = remedy.kind === 'rename' ? [...path.slice(0, -1), remedy.name] : path;
  if (!place.every((key, at) => left.path[at] === key)) return false;
  return remedy.kind !== 'rename' || (left.at === 'key' && left.path.length === place.length);
}
