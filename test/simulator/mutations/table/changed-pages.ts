// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of other files
import type { Mutation } from './mutation.ts';

/** Changes. */
export const CHANGED_PAGES: readonly Mutation[] = [
  {
    name: 'takes no changed lastmod for a change',
    file: 'src/ledger/crawl/mark-changed.ts',
    from: 'await recordVersions(tx, source, rows);',
    to: '',
  },
  {
    name: 'takes a change while a batch is in doubt for bought (fixed: money 16)',
    file: 'src/ledger/crawl/record-versions.ts',
    from: 'WHEN ${isCovered} THEN NULL',
    to: "WHEN urls.state = 'planned' THEN NULL",
    needs: ['changed while in doubt'],
  },
  {
    name: 'sees no change of a page that moves to another file (fixed: money 8)',
    file: 'src/ledger/crawl/insert-found.ts',
    from: 'await recordVersions(tx, source, listed);',
    to: '',
    needs: ['move to other file'],
  },
  {
    name: 'takes a lastmod that begins for a change',
    file: 'src/ledger/crawl/record-versions.ts',
    from: '\n      AND (urls.version IS NOT NULL OR urls.bought_version IS NOT NULL OR ${isAfterRecovered}))`;',
    to: ')`;',
    also: [
      {
        file: 'src/ledger/crawl/record-versions.ts',
        from: ' OR ${isFirstOfBought}',
        to: '',
      },
    ],
    needs: ['pages get their first dates'],
  },
];
