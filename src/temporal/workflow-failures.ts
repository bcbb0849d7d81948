import { DefaultFailureConverter } from '@temporalio/common';

/** Workflow code has no configuration: a worker that encrypts payloads writes this variable before the bundle. */
const { courierEncodesFailures: encodeCommonAttributes = false } = globalThis as {
  readonly courierEncodesFailures?: boolean;
};

/** In the bundle of the workflow code. The SDK wants this name. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes });
