import type { CheckedFile } from './check-schema.ts';
import { type Fault, write } from './fault.ts';
import type { RawConfig } from './schema.ts';
import { findNearest } from './suggest.ts';
import type { At, Path, Position, Problem, YamlFile } from './yaml-file.ts';

/** A file with what is right of it. */
export interface Part {
  readonly yaml: YamlFile;
  readonly checked: CheckedFile;
}

/** The files of a configuration as one. */
export interface Merged {
  readonly raw: RawConfig;
  readonly problems: readonly Problem[];
  locate(path: Path, at: At): Position;
  /** Whether a setting, or a part of it, is written and wrong, or its name is. */
  isWrong(path: Path): boolean;
}

type Tree = Record<string, unknown>;

/** Sections with names that the reader chooses: each name is in one file, the section may be in several. */
const NAMED = ['accounts', 'watches'];

/** Puts files together. A name, or a section, that two files have is a mistake: one of them would silently win. */
export function mergeFiles(parts: readonly Part[]): Merged {
  const raw: Tree = { accounts: {}, watches: {} };
  const owners = new Map<string, Part>();
  const problems: Problem[] = [];
  const claim = (path: Path, part: Part): boolean => {
    const key = path.join('.');
    const owner = owners.get(key);
    if (owner === undefined) {
      owners.set(key, part);
      return true;
    }
    const first = owner.yaml.locate(path, 'key');
    const says = `${key} is written twice; the first is in ${first.file}:${first.line}. Remove one of them`;
    problems.push({ ...part.yaml.locate(path, 'key'), path, at: 'key', fault: { says } });
    return false;
  };
  for (const part of parts) {
    for (const [section, value] of Object.entries(part.checked.raw)) {
      if (section === 'version') raw.version = value;
      else if (!NAMED.includes(section)) {
        if (claim([section], part)) raw[section] = value;
      } else {
        for (const [name, inner] of Object.entries(value as Tree))
          if (claim([section, name], part)) (raw[section] as Tree)[name] = inner;
      }
    }
  }
  const locate = (path: Path, at: At): Position => {
    const [section = '', name = ''] = path;
    const part =
      owners.get(`${section}.${name}`) ??
      owners.get(section) ??
      parts.find(({ yaml }) => typeof yaml.raw === 'object' && yaml.raw !== null && section in yaml.raw);
    return ((part ?? parts[0]) as Part).yaml.locate(path, at);
  };
  const wrong = parts.flatMap(({ checked }) => checked.wrong);
  const isWrong = (path: Path) =>
    wrong.some((each) => isSameOrInner(each, path) || isSameOrInner(path, each) || isMisspelt(each, path));
  // A file that has no settings at all was reported as such.
  const isReported = wrong.some(({ length }) => length === 0);
  for (const required of isReported ? [] : (['version', 'accounts', 'watches'] as const)) {
    const isThere = parts.some(({ yaml }) => typeof yaml.raw === 'object' && yaml.raw !== null && required in yaml.raw);
    if (isThere || wrong.some((each) => isMisspelt(each, [required]))) continue;
    const first = (parts[0] as Part).yaml;
    problems.push({ ...first.locate([], 'value'), path: [required], at: 'key', fault: MISSING[required] });
  }
  return { raw: raw as unknown as RawConfig, problems, locate, isWrong };
}

const isSameOrInner = (inner: Path, outer: Path): boolean => outer.every((key, at) => key === inner[at]);

/** Whether a setting that does not exist was probably meant to be this one. */
const isMisspelt = (written: Path, meant: Path): boolean =>
  written.length === meant.length &&
  isSameOrInner(written, meant.slice(0, -1)) &&
  findNearest(written.at(-1) ?? '', [meant.at(-1) ?? '']) !== null;

const MISSING: Readonly<Record<'version' | 'accounts' | 'watches', Fault>> = {
  version: { says: '"version" is missing', proposals: [write([1], { name: 'version: ' })] },
  accounts: {
    says: '"accounts" is missing, so nothing can be bought; "courier init SITE" writes a first configuration',
  },
  watches: { says: '"watches" is missing, so nothing is watched; "courier init SITE" writes a first configuration' },
};
