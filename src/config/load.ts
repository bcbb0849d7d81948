import type { AccountId, WatchId } from '../submission/ids.ts';
import { checkOutside } from './check-outside.ts';
import { checkReferences } from './check-references.ts';
import { checkSchema } from './check-schema.ts';
import type { Account, Config, Watch } from './config.ts';
import { ConfigError, type ConfigProblem, maskProblems } from './config-error.ts';
import { type Fault, toSentence } from './fault.ts';
import { type ConfigText, getConfigFolder, readConfigFiles } from './files.ts';
import { type Merged, mergeFiles } from './merge-files.ts';
import { toNotifySettings } from './notify.ts';
import {
  toAccount,
  toAddress,
  toAdminSettings,
  toLedgerUrl,
  toReportSettings,
  toRetentionSettings,
  toTemporalServer,
  toWatch,
  toWorkerLimits,
} from './resolve.ts';
import { RULES } from './rules/rules.ts';
import { findAccepted } from './try-remedies.ts';
import { type At, type Level, type Path, type Problem, parseYamlFile, type YamlFile } from './yaml-file.ts';

export interface LoadOptions {
  /** Also checks what is outside of the files: secrets and local sitemaps that can be read. */
  readonly outside?: boolean;
}

/** A configuration with what its files say, for messages about it. */
export interface LoadedConfig {
  readonly config: Config;
  readonly merged: Merged;
  readonly files: readonly string[];
  /** Where relative paths start. */
  readonly folder: string;
  /** Settings that an installation may work with, and that probably do not do what was meant. */
  readonly warnings: readonly ConfigProblem[];
}

/**
 * Reads and validates a configuration: a file, with the folder of files beside it, or a folder. Throws ConfigError (exit
 * code 2) with every mistake; reads no secrets unless asked to.
 */
export function loadConfig(path: string, options: LoadOptions = {}): Config {
  return loadConfigFiles(path, options).config;
}

export function loadConfigFiles(path: string, options: LoadOptions = {}): LoadedConfig {
  return buildConfig(readConfigFiles(path), path, getConfigFolder(path), options);
}

/** Parses a configuration from text; relative paths start at the folder of `file`. */
export function readConfig(text: string, file: string): Config {
  return loadConfigText(text, file).config;
}

/** The same, with its warnings. */
export const loadConfigText = (text: string, file: string): LoadedConfig =>
  buildConfig([{ file, text }], file, getConfigFolder(file), {});

/** Everything that is wrong is reported at once: what one mistake hides is checked without it. */
function buildConfig(
  texts: readonly ConfigText[],
  name: string,
  folder: string,
  { outside = false }: LoadOptions,
): LoadedConfig {
  const files = texts.map(parseYamlFile);
  const { problems, merged } = inspect(files, outside ? folder : null);
  const errors = problems.filter(isError);
  if (errors.length > 0 || merged === null) throw new ConfigError(name, sort(toMessages(files, errors), texts));
  const warnings = problems.length === 0 ? [] : maskProblems(name, sort(toMessages(files, problems), texts));
  return { config: toConfig(merged, folder), merged, files: texts.map(({ file }) => file), folder, warnings };
}

const isError = ({ level }: Problem): boolean => level !== 'warning';

interface Inspected {
  readonly problems: readonly Problem[];
  /** Null while a file is not YAML. */
  readonly merged: Merged | null;
}

/** Everything that is wrong with files; `outside`: the folder in which what they refer to is looked for too. */
function inspect(files: readonly YamlFile[], outside: string | null): Inspected {
  const parts = files.flatMap((yaml) => (yaml.raw === undefined ? [] : [{ yaml, checked: checkSchema(yaml) }]));
  const problems: Problem[] = [
    ...files.flatMap((yaml) => yaml.problems),
    ...parts.flatMap(({ checked }) => checked.problems),
  ];
  // A file that is not YAML may hold the very names that the others miss.
  if (parts.length < files.length) return { problems, merged: null };
  const merged = mergeFiles(parts);
  problems.push(...merged.problems);
  const complain = (path: Path, fault: Fault, at: At = 'value', level: Level = 'error') =>
    problems.push({
      ...merged.locate(path, at),
      path,
      at,
      level,
      fault: { ...fault, says: `${path.join('.')}: ${fault.says}` },
    });
  checkReferences({ raw: merged.raw, isWrong: merged.isWrong, complain });
  for (const { level, find } of RULES)
    for (const { path, fault, at } of find(merged.raw)) complain(path, fault, at, level);
  if (outside !== null) checkOutside(merged.raw, outside, complain);
  return { problems, merged };
}

/** The messages for problems. A change is proposed only where the checker accepts it. */
function toMessages(files: readonly YamlFile[], problems: readonly Problem[]): ConfigProblem[] {
  // The problems of the text itself are about what is written, so they stay whatever is changed.
  const accepted = findAccepted(
    files,
    problems,
    (changed) =>
      inspect(
        changed.map((file) => ({ ...file, problems: [] })),
        null,
      ).problems,
  );
  return problems.map((problem) => {
    const { file, line, column, path, fault } = problem;
    const said = toSentence(fault, (remedy) => accepted.get(problem)?.has(remedy) === true);
    return { file, line, column, path: path.join('.'), ...said };
  });
}

function toConfig({ raw }: Merged, folder: string): Config {
  const accounts = new Map<AccountId, Account>();
  for (const [id, account] of Object.entries(raw.accounts))
    accounts.set(id as AccountId, toAccount(id as AccountId, account, folder));
  const watches = new Map<WatchId, Watch>();
  for (const [id, watch] of Object.entries(raw.watches))
    watches.set(id as WatchId, toWatch(id as WatchId, { ...raw.defaults, ...watch }, folder));
  return {
    accounts,
    watches,
    temporal: toTemporalServer(raw.temporal ?? {}, folder),
    worker: toWorkerLimits(raw.worker ?? {}),
    ledgerUrl: toLedgerUrl(raw.ledger?.url ?? 'sqlite:.courier/ledger.db', folder),
    admin: raw.admin === undefined ? null : toAdminSettings(raw.admin, folder),
    notify: toNotifySettings(raw.notify ?? {}, (reference) => toAddress(reference, folder)),
    report: raw.report === undefined ? null : toReportSettings(raw.report, folder),
    retention: raw.retention === undefined ? null : toRetentionSettings(raw.retention, folder),
  };
}

/** In the order in which the reader meets them. */
function sort(problems: readonly ConfigProblem[], texts: readonly ConfigText[]): ConfigProblem[] {
  const order = texts.map(({ file }) => file);
  const rank = ({ file, line, column }: ConfigProblem) => [order.indexOf(file), line ?? 0, column ?? 0] as const;
  return problems.toSorted((a, b) => {
    const [fileA, lineA, columnA] = rank(a);
    const [fileB, lineB, columnB] = rank(b);
    return fileA - fileB || lineA - lineB || columnA - columnB;
  });
}
