/** What a hostile customer does to the service, by what it uses. */
export const HOSTILE_ACTS = [
  // Requests
  'over its limit',
  'stats of all keys',
  'url filter',
  'q filter',
  'pages far behind',
  'details of 500 URLs',
  'paths that do not exist',
  'wrong methods',
  // Bodies
  'small submissions',
  'submissions of 5,000',
  'submissions of 10 MB',
  'replays of 5,000',
  'one key for many bodies',
  'index-checks',
  'large invalid bodies',
  'deep JSON',
  'wrong content type',
  'locked rows',
  // Connections
  'slow uploads',
  '60 half bodies',
  'aborted uploads',
  'answers not read',
  'idle connections',
  'a connection for each request',
  'pipelined requests',
  'malformed HTTP',
  // Without a key
  'invented keys',
  'sign-in attempts',
  // Dashboard
  'pages by url',
  'downloads',
] as const;
export type HostileAct = (typeof HOSTILE_ACTS)[number];
