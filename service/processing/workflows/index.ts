export { processSubmission } from './process-submission.ts';
