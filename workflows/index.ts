export { checkIndex } from './check-index.ts';
export { dispatchAccount } from './dispatch-account.ts';
export { trackSubmission } from './track-submission.ts';
export { watchSitemap } from './watch-sitemap.ts';
