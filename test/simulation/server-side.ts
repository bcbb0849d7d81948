/** What the service's end of the wire saw: requests are counted there, not where they are made. */
export interface ServerSide {
  readonly port: number;
  /** How often each kind of answer was given, such as "GET 200". */
  readonly answers: ReadonlyMap<string, number>;
  /** When submissions arrived, in milliseconds since 1970. */
  readonly posts: readonly number[];
  close(): Promise<void>;
}
