import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Puts messages and stack traces of failures into payloads, so that they are encrypted too. The SDK loads it by its path,
 * and wants this name.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
