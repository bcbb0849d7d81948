// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of other files
import type { Mutation } from './mutation.ts';

/** Changes. */
export const CHANGED_PAGES: readonly Mutation[] = [
  {
    name: 'takes no changed lastmod for a change',
    file: 'src/ledger/crawl/mark-changed.ts',
    from: "await recordLastmods(tx, source, rows, 'before');",
    to: '',
  },
  {
    name: 'takes a change while a batch is in doubt for bought (fixed: money 16)',
    file: 'src/ledger/crawl/record-lastmods.ts',
    from: "WHEN urls.state = 'planned' AND NOT ${isSent} THEN NULL",
    to: "WHEN urls.state = 'planned' THEN NULL",
    needs: ['changed while in doubt'],
  },
  {
    name: 'sees no change of a page that moves to another file (fixed: money 8)',
    file: 'src/ledger/crawl/insert-found.ts',
    from: "await recordLastmods(tx, source, listed, 'new');",
    to: '',
    needs: ['move to other file'],
  },
  {
    name: 'takes a lastmod that begins for a change',
    file: 'src/ledger/crawl/record-lastmods.ts',
    from: 'const isChange = sql`urls.lastmod IS NOT NULL AND r.lastmod IS NOT NULL AND ${isKnown}',
    to: 'const isChange = sql`r.lastmod IS NOT NULL AND ${isKnown}',
    also: [
      {
        file: 'src/ledger/crawl/record-lastmods.ts',
        from: 'WHEN urls.generation > 0 AND urls.lastmod IS NULL AND urls.bought_lastmod IS NULL THEN r.lastmod',
        to: '',
      },
    ],
    needs: ['pages get their first dates'],
  },
];
