import type { RawAccount, RawConfig, RawWatch } from '../schema.ts';
import type { Path } from '../yaml-file.ts';
import type { Found, Rule } from './rule.ts';

/** For each account that has settings. */
export const eachAccount =
  (find: (account: Partial<RawAccount>, path: Path) => readonly Found[]): Rule['find'] =>
  ({ accounts }) =>
    Object.entries(accounts).flatMap(([id, account]) => find(account, ['accounts', id]));

/** A watch as it runs, with the defaults, and where each of its settings is written. */
export interface PlacedWatch {
  readonly id: string;
  readonly watch: Partial<RawWatch>;
  toPath(key: keyof RawWatch, ...inner: readonly string[]): Path;
}

export function listWatches({ watches, defaults = {} }: RawConfig): PlacedWatch[] {
  return Object.entries(watches).map(([id, own]) => ({
    id,
    watch: { ...defaults, ...own },
    toPath: (key, ...inner) => [
      ...(own[key] === undefined && key in defaults ? ['defaults'] : ['watches', id]),
      key,
      ...inner,
    ],
  }));
}

/** For each watch; what several of them have from the defaults is found once. */
export const eachWatch =
  (find: (watch: PlacedWatch, raw: RawConfig) => readonly Found[]): Rule['find'] =>
  (raw) => [
    ...new Map(
      listWatches(raw)
        .flatMap((watch) => find(watch, raw))
        .map((found) => [`${found.path.join('\n')}\n${found.path[0] === 'defaults'}`, found] as const),
    ).values(),
  ];

type Listed = 'sitemaps' | 'headers' | 'allow_private_hosts';
type Entry<Key extends Listed> = NonNullable<NonNullable<RawWatch[Key]>[keyof RawWatch[Key] & (string | number)]>;

/** For each entry of a list or of a group of a watch, with its place or its name. Those with another mistake are left out. */
export const eachEntry = <Key extends Listed>(
  key: Key,
  find: (value: Entry<Key>, name: string, watch: Partial<RawWatch>) => Found['fault'] | null,
): Rule['find'] =>
  eachWatch(({ watch, toPath }) =>
    Object.entries((watch[key] ?? {}) as Readonly<Record<string, Entry<Key> | null>>).flatMap(([name, value]) =>
      at(toPath(key, name), value === null ? null : find(value, name, watch)),
    ),
  );

/** The found thing as a list: none for null. */
export const at = (path: Path, fault: Found['fault'] | null): readonly Found[] =>
  fault === null ? [] : [{ path, fault }];
