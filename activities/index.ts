export type { Activities } from './activities.ts';
