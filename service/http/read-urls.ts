import { MAX_PROBLEMS } from '../../contract/envelope.ts';
import { type CheckedUrls, compareUrls, findWrongUrls } from '../submissions/url-rules.ts';
import { validationFailed } from './api-error.ts';

/**
 * The URLs of a body whose form the schema has accepted. Throws the 422 that names every wrong one of them. Other
 * requests continue meanwhile.
 */
export async function readUrls(urls: readonly string[], single?: string): Promise<CheckedUrls> {
  const wrong = await findWrongUrls(urls);
  if (wrong.length > 0) throw validationFailed(wrong);
  const { problems, ...checked } = await compareUrls(urls, single);
  if (problems.length > 0) throw validationFailed(problems.slice(0, MAX_PROBLEMS));
  return checked;
}
