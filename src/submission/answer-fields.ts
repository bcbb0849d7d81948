/**
 * How values are written, with examples by name; a test reads each of them. Of one form all examples mean the same. In a list of
 * jobs or URLs `A` and `B` are two entries.
 */
export const FORMS = {
  object: {
    what: 'holds other values; a currency beside it counts for those inside',
    examples: { object: { status: 'queued' } },
  },
  list: {
    what: 'entries, up to two levels deep, also under `data` or `items` inside it',
    examples: {
      list: [{ id: 'A' }, { id: 'B' }],
      'by position': { 1: { id: 'A' }, 2: { id: 'B' } },
      'by reference': { A: { status: 'queued' }, B: { status: 'queued' } },
      edges: [{ node: { id: 'A' } }, { node: { id: 'B' } }],
      'JSON:API': [{ attributes: { reference: 'A' } }, { attributes: { reference: 'B' } }],
    },
  },
  amount: {
    what: 'TRY; minor units where the name ends in `kurus`, `minor`, `cents` or `micros`. In another currency it is not read',
    examples: {
      number: 1234.5,
      text: '1234.50',
      'with currency': '1234.50 TL',
      'as in Turkey': '1.234,50 TL',
      'as in Britain': '₺1,234.50',
      object: { amount: '1234.50', currency: 'TRY' },
      minor: { amount_minor: 123_450, currency: 'TRY' },
    },
  },
  count: { what: 'a whole number', examples: { number: 3, text: '3' } },
  time: {
    what: 'without a zone it is read as the latest time that it can mean',
    examples: {
      iso: '2026-01-15T12:00:00Z',
      seconds: 1_768_478_400,
      'seconds as text': '1768478400',
      milliseconds: 1_768_478_400_000,
    },
  },
  word: {
    what: 'any letter case and spelling; `status_map` says what it means',
    examples: { word: 'in progress', spelled: 'IN_PROGRESS' },
  },
  text: { what: 'a text', examples: { text: 'Shop' } },
  reference: { what: '1 to 500 characters, or a whole number', examples: { text: '12345', number: 12_345 } },
  level: { what: '`standard` or `fast`', examples: { word: 'fast', spelled: 'FAST' } },
  flag: { what: 'yes or no', examples: { flag: true, number: 1, text: 'true' } },
  page: {
    what: 'an address or a cursor; null, false or empty: none',
    examples: { address: '/jobs?page=2', link: { href: '/jobs?page=2' }, cursor: 'abc' },
  },
} as const satisfies Record<string, { readonly what: string; readonly examples: Readonly<Record<string, unknown>> }>;

export type Form = keyof typeof FORMS;

/** Where a service may put one value. */
export interface AnswerField {
  /** What it is. */
  readonly what: string;
  readonly form: Form;
  /** The likeliest first, as `normalizeName` writes them. A payload may have them in any spelling: `url_count`, `urlCount`. */
  readonly names: readonly string[];
}

const defineFields = <Key extends string>(fields: Readonly<Record<Key, AnswerField>>) => fields;

/**
 * Where the values of every answer may stand. The specification leaves most names open, so this is the one place that has
 * them: the readers of the API client, the setting `field_names`, `courier doctor --learn`, the reference page and the
 * services of tests are made from it.
 */
export const ANSWER_FIELDS = defineFields({
  job: { what: 'a job, inside an answer about it', form: 'object', names: ['submission', 'job', 'item', 'order'] },
  wallet: { what: 'the balance, inside an answer', form: 'object', names: ['wallet', 'account', 'balances'] },
  prices: { what: 'prices by service level', form: 'object', names: ['prices', 'pricing', 'priceperurl'] },
  counts: {
    what: 'counts of the URLs of a job',
    form: 'object',
    names: ['counts', 'progress', 'summary', 'stats', 'urlcounts', 'statistics', 'pages'],
  },
  money: {
    what: 'the amounts of a job, inside it',
    form: 'object',
    names: ['billing', 'pricing', 'cost', 'payment', 'price'],
  },
  times: { what: 'the times of a job, inside it', form: 'object', names: ['timestamps', 'times', 'dates', 'audit'] },
  check: {
    what: 'an index-check, inside its answer',
    form: 'object',
    names: ['check', 'indexcheck', 'summary', 'result', 'data', 'batch', 'job', 'report'],
  },
  page_info: {
    what: 'what is said of a page, beside its list',
    form: 'object',
    names: [
      ...['pagination', 'meta', 'page', 'pageinfo', 'paging', 'links', 'urlpagination', 'urlspagination'],
      ...['pageable', 'cursors'],
    ],
  },
  jobs: {
    what: 'the list of jobs',
    form: 'list',
    names: [
      ...['submissions', 'items', 'jobs', 'data', 'results', 'records', 'rows', 'list', 'history', 'edges', 'nodes'],
      ...['entries', 'content', 'orders', 'embedded', 'requests'],
    ],
  },
  urls: {
    what: 'the URLs of a job',
    form: 'list',
    names: [
      ...['urls', 'urlstates', 'urlstatuses', 'items', 'results', 'states', 'entries', 'links', 'records', 'data'],
      ...['details', 'rows', 'list', 'content', 'edges', 'nodes', 'perurl', 'embedded'],
    ],
  },
  results: {
    what: 'the results of an index-check',
    form: 'list',
    names: ['results', 'items', 'urls', 'checks', 'data', 'entries', 'records', 'embedded', 'findings', 'found'],
  },
  balance: {
    what: 'the balance of the account',
    form: 'amount',
    names: [
      ...['balance', 'availablebalance', 'currentbalance', 'balanceafter', 'newbalance', 'remainingbalance'],
      'balanceremaining',
    ],
  },
  charge: {
    what: 'what a job or an index-check was charged',
    form: 'amount',
    names: [
      ...['charged', 'charge', 'chargedamount', 'amountcharged', 'totalcharged', 'totalcharge', 'cost', 'totalcost'],
      ...['totalprice', 'amount', 'debited'],
    ],
  },
  price: {
    what: 'the price of one URL',
    form: 'amount',
    names: ['priceperurl', 'perurlprice', 'unitprice', 'urlprice', 'priceperpage', 'perpage', 'each'],
  },
  reference: {
    what: 'the reference of a job',
    form: 'reference',
    names: ['reference', 'ref', 'submissionreference', 'jobreference', 'referenceid'],
  },
  state: { what: 'the state of a job', form: 'word', names: ['status', 'state', 'submissionstatus', 'jobstatus'] },
  project: {
    what: 'the project of a job',
    form: 'text',
    names: ['project', 'projectname', 'projecttitle', 'name', 'title', 'label', 'campaign'],
  },
  created: {
    what: 'when a job was created',
    form: 'time',
    names: [
      ...['createdat', 'submittedat', 'acceptedat', 'queuedat', 'receivedat', 'openedat', 'placedat', 'orderedat'],
      ...['created', 'submitted', 'accepted', 'queued', 'received', 'opened', 'placed', 'ordered'],
      ...['createdon', 'creationdate', 'createddate', 'creationtime', 'createdtime', 'createdms'],
      ...['date', 'timestamp', 'time'],
    ],
  },
  service: {
    what: 'the service level of a job',
    form: 'level',
    names: ['service', 'servicelevel', 'level', 'tier', 'speed'],
  },
  url_count: {
    what: 'how many URLs a job has',
    form: 'count',
    names: ['urlcount', 'urlscount', 'urltotal', 'totalurls', 'urlstotal', 'submittedurls', 'urls'],
  },
  completed: {
    what: 'how many URLs of a job are completed',
    form: 'count',
    names: [
      'completed',
      'completedcount',
      'completedurls',
      'urlscompleted',
      'success',
      'succeeded',
      'done',
      'delivered',
      'deliveredurls',
    ],
  },
  failed: {
    what: 'how many URLs of a job have failed',
    form: 'count',
    names: ['failed', 'failedcount', 'failedurls', 'urlsfailed', 'errors', 'rejected', 'rejectedurls'],
  },
  url: {
    what: 'the address of a URL',
    form: 'text',
    names: ['url', 'link', 'uri', 'loc', 'address', 'href', 'originalurl', 'target'],
  },
  url_state: {
    what: 'the state of a URL of a job',
    form: 'word',
    names: ['status', 'state', 'result', 'outcome', 'urlstatus'],
  },
  reason: {
    what: 'why a URL has failed',
    form: 'text',
    names: ['reason', 'error', 'errormessage', 'message', 'failurereason', 'detail', 'note'],
  },
  found: {
    what: 'whether an index-check found a URL',
    form: 'flag',
    names: ['found', 'indexed', 'inindex', 'isindexed', 'isfound', 'present', 'listed'],
  },
  verdict: {
    what: 'what an index-check says of a URL',
    form: 'word',
    names: ['result', 'status', 'state', 'verdict', 'outcome', 'indexstatus', 'finding'],
  },
  total: {
    what: 'entries on all pages',
    form: 'count',
    names: ['total', 'totalitems', 'totalcount', 'totalresults', 'totalelements', 'totalurls', 'urltotal'],
  },
  pages: {
    what: 'how many pages there are',
    form: 'count',
    names: ['pages', 'totalpages', 'lastpage', 'pagecount', 'pagescount', 'urlpages', 'urlpagecount'],
  },
  page_size: { what: 'entries on a page', form: 'count', names: ['perpage', 'pagesize', 'limit', 'urllimit'] },
  has_more: { what: 'whether a page follows', form: 'flag', names: ['hasmore', 'hasnext', 'hasnextpage', 'more'] },
  next_page: {
    what: 'the next page, or a cursor to it',
    form: 'page',
    names: ['next', 'nextpage', 'nextpageurl', 'nexturl', 'nextcursor', 'nexttoken', 'nextpagetoken'],
  },
});

export type AnswerFieldKey = keyof typeof ANSWER_FIELDS;

export const ANSWER_FIELD_KEYS = Object.keys(ANSWER_FIELDS) as AnswerFieldKey[];

/** What a service calls its values, before the usual names. A name with dots is a path: `account.funds`. */
export type FieldNames = Partial<Readonly<Record<AnswerFieldKey, readonly string[]>>>;
