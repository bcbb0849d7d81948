import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ROOT } from '../suites.ts';

/** A file of deploy/. */
export const read = (path: string): string => readFileSync(join(ROOT, 'deploy', path), 'utf8');

/** The documents of a YAML file of deploy/. Throws on a mistake, also on a key that is there twice. */
export function readYaml<T>(path: string): T[] {
  return parseYaml<T>(read(path));
}

export function parseYaml<T>(text: string): T[] {
  return parseAllDocuments(text, { merge: true, uniqueKeys: true }).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS() as T;
  });
}

/** An image with a version that says exactly what runs: at least two numbers, or none where the tag is set elsewhere. */
export const isPinned = (image: string): boolean => /^[a-z0-9./-]+:\d+\.\d+(\.\d+)?(-[a-z0-9]+)*$/.test(image);
