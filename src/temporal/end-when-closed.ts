import type { ConnectionOptions } from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Call = ReturnType<Interceptor>;

const CANCELLED = 1;

/**
 * Ends a request on a connection that was closed meanwhile. The SDK repeats what failed from a timer, where gRPC's own error
 * would be an uncaught exception: the whole process would end. So whatever closes a connection may do so at any time. Belongs
 * behind the SDK's own interceptor of retries.
 */
export const endWhenClosed: Interceptor = (options, nextCall): Call => {
  try {
    return nextCall(options) as Call;
  } catch (error) {
    return toEndedCall((error as Error).message) as unknown as Call;
  }
};

/** A call that ends as soon as it starts. */
const toEndedCall = (
  details: string,
): Pick<Call, 'start' | 'sendMessage' | 'halfClose' | 'cancelWithStatus' | 'getPeer'> => ({
  start(metadata, listener) {
    listener?.onReceiveMessage?.(null);
    listener?.onReceiveStatus?.({ code: CANCELLED, details, metadata });
  },
  sendMessage: () => undefined,
  halfClose: () => undefined,
  cancelWithStatus: () => undefined,
  getPeer: () => '',
});
