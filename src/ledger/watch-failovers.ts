import { watchTimeline } from '../database/timeline.ts';
import type { Ledger } from './open-ledger.ts';

/** Tells whether another server has taken over the ledger since the last call: it may lack the last transactions. */
export const watchFailovers = ({ db }: Ledger): (() => Promise<boolean>) => watchTimeline(db);
