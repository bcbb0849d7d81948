import type { IncomingMessage, ServerResponse } from 'node:http';

/** An answer as text, or whatever is done to the response. */
export type Reply =
  | { readonly status: number; readonly text: string; readonly headers?: Record<string, string> }
  | ((response: ServerResponse, request: IncomingMessage) => void);

/**
 * Answers to the n-th request of a kind, from 1, in place of the service's own. Where there is none, or it gives null,
 * the service answers as it would.
 */
export interface Overrides {
  readonly post?: (n: number, key: string) => Reply | null;
  readonly check?: (n: number, key: string) => Reply | null;
  readonly detail?: (n: number, reference: string) => Reply | null;
  readonly list?: (n: number, page: number) => Reply | null;
  readonly balance?: (n: number) => Reply | null;
  readonly me?: (n: number) => Reply | null;
}
export type Endpoint = keyof Overrides;

/** The same answer to every request. */
export const always = (reply: Reply) => () => reply;

export const success = (data: unknown, status = 200, more: object = {}): Reply => ({
  status,
  text: JSON.stringify({ success: true, status: 'success', message: 'OK', data, request_id: 'q-1', ...more }),
});

export const failure = (status: number, code: string, headers: Record<string, string> = {}): Reply => ({
  status,
  text: JSON.stringify({
    success: false,
    status: 'error',
    message: code,
    data: null,
    error: { code, message: code },
    request_id: 'q-2',
  }),
  headers,
});

export const json = (text: string, status = 200): Reply => ({ status, text });

export const html = (status: number, text = '<!doctype html><title>Welcome</title>'): Reply => ({
  status,
  text,
  headers: { 'content-type': 'text/html' },
});
