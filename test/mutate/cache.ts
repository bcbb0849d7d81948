import { join } from 'node:path';
import { ROOT } from '../suites.ts';

/** What was measured and proved: may be removed at any time. */
export const CACHE = join(ROOT, '.mutate');
