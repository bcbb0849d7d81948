import {
  type ApiKey,
  createKey,
  findLiveKey,
  KeyExistsError,
  listEndedKeys,
  listLiveKeys,
  MAX_LIVE_KEYS,
  newKeyId,
  regenerateKey,
  revokeKey,
} from '../../../accounts/keys.ts';
import { required } from '../../../required.ts';
import { type Column, csrfField, notice, select, table } from '../components.ts';
import { copyButton } from '../copy.ts';
import { type Html, html, nothing } from '../html.ts';
import { type KeyUse, readKeyUse } from '../key-use.ts';
import { showPage } from '../layout.ts';
import { type Dashboard, seeOther } from '../routes.ts';
import { getForm, getParam, getQuery, recordAct, type Visit } from '../view.ts';

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
/** Ended keys are listed for this long, and afterwards on request. */
const ENDED_SHOWN_MS = 30 * DAY_MS;
const ENDED_MAX = 200;
const EXPIRY_DAYS = ['30', '90', '365'] as const;
const GRACE_MS: Record<string, number> = { none: 0, h1: HOUR_MS, h24: DAY_MS, d7: 7 * DAY_MS };

/** Keys: list, create, revoke and regenerate. Each change asks first, and a new key is shown once. */
export function keyPages({ app, context, cookies, page, act }: Dashboard): void {
  const { settings, now } = context;

  page('/keys', async (visit) => {
    const { db } = visit;
    const account = visit.session.account.id;
    const live = await listLiveKeys(db, account, now());
    const allEnded = await listEndedKeys(db, account, now(), ENDED_MAX);
    const use = await readKeyUse(
      db,
      settings.budgets,
      live.map(({ id }) => id),
      now(),
    );
    const { ended, revoked } = getQuery(visit.request);
    const endedKeys = allEnded
      .filter((key) => ended === 'all' || endedAt(key) > now() - ENDED_SHOWN_MS)
      .sort((a, b) => endedAt(b) - endedAt(a));
    const { text, format } = visit;
    const content = html`${notice(revoked === undefined ? undefined : text.keys.revoked, 'good')}
<p>${text.keys.intro(format.count(MAX_LIVE_KEYS))}</p>
${liveTable(visit, live, use)}
<h2>${text.keys.createTitle}</h2>
<form method="post" action="/keys">${csrfField(visit.session)}<input type="hidden" name="id" value="${newKeyId()}">
<label class="wide">${text.keys.createName} <input name="name" required maxlength="80" autocomplete="off" placeholder="${text.keys.createHint}"></label>
${select({
  name: 'expiry',
  label: text.keys.expiry,
  chosen: '',
  options: [['', text.keys.expiryNone], ...EXPIRY_DAYS.map((days) => [days, text.keys.expiryDays(days)] as const)],
})}
<button class="primary">${text.keys.create}</button></form>
${endedKeys.length === 0 ? nothing : endedTable(visit, endedKeys)}
${ended === 'all' || allEnded.length === 0 ? nothing : html`<p><a href="/keys?ended=all">${text.keys.showEnded}</a></p>`}`;
    return showPage(visit, { title: text.keys.title, section: 'keys', content });
  });

  act('/keys', async ({ db, request, reply, session, origin }) => {
    const { name = '', id = '', expiry = '' } = getForm(request);
    const account = session.account.id;
    const days = (EXPIRY_DAYS as readonly string[]).includes(expiry) ? Number(expiry) : null;
    const expiresAt = days === null ? null : now() + days * DAY_MS;
    try {
      const { apiKey } = await db.tx(async (tx) => {
        const key = await createKey(tx, { account, name: name.trim(), id, expiresAt, byCustomer: true }, now());
        await recordAct(tx, { session, origin }, 'key.created', now(), { key: id, name });
        return key;
      });
      app.log.info({ event: 'key.created', account: session.account.publicId, key: id, ...origin }, 'key created');
      cookies.set(reply, 'new-key', apiKey);
    } catch (error) {
      // The form was sent twice: the first response leads to the page that shows the key.
      if (!(error instanceof KeyExistsError)) throw error;
    }
    return seeOther(reply, '/keys/created');
  });

  page('/keys/created', async (visit) => {
    const { text, request, reply } = visit;
    const apiKey = cookies.get(request, 'new-key');
    cookies.clear(reply, 'new-key');
    const content =
      apiKey === null
        ? html`${notice(text.keys.notShown)}<p><a class="button" href="/keys">${text.keys.title}</a></p>`
        : html`<p>${text.keys.createdText}</p>
<p id="key-label">${text.keys.createdLabel}</p>
<p><code class="key select-all" id="new-key" tabindex="0" aria-labelledby="key-label">${apiKey}</code></p>
<p class="actions">${copyButton(visit, 'new-key')} <a class="button" href="/keys">${text.keys.createdDone}</a> <a class="button" href="/contract">${text.contract.first}</a></p>`;
    return showPage(visit, { title: text.keys.createdTitle, section: 'keys', content });
  });

  page('/keys/:id/revoke', async (visit) => {
    const { db, text, request, session } = visit;
    const key = await findLiveKey(db, getParam(request, 'id'), now(), session.account.id);
    const content = html`<p>${text.keys.revokeText}</p>${await keyFacts(visit, key)}
<form method="post" action="/keys/${key.id}/revoke">${csrfField(session)}<button class="danger">${text.keys.revokeButton}</button> <a class="button" href="/keys">${text.common.cancel}</a></form>`;
    return showPage(visit, { title: text.keys.revokeTitle(key.name), section: 'keys', content });
  });

  act('/keys/:id/revoke', async ({ db, request, reply, session, origin }) => {
    const account = session.account.id;
    const key = await db.tx(async (tx) => {
      const ended = await revokeKey(tx, getParam(request, 'id'), now(), account);
      await recordAct(tx, { session, origin }, 'key.revoked', now(), { key: ended.id, name: ended.name });
      return ended;
    });
    app.log.info({ event: 'key.revoked', account: session.account.publicId, key: key.id, ...origin }, 'key revoked');
    return seeOther(reply, '/keys?revoked=1');
  });

  page('/keys/:id/regenerate', async (visit) => {
    const { db, text, request, session } = visit;
    const key = await findLiveKey(db, getParam(request, 'id'), now(), session.account.id);
    const { keys: t } = text;
    const options = [
      ['none', t.graceNone],
      ['h1', t.graceHours('1')],
      ['h24', t.graceHours('24')],
      ['d7', t.graceDays('7')],
    ] as const;
    const content = html`<p>${t.regenerateText}</p>${await keyFacts(visit, key)}
<form method="post" action="/keys/${key.id}/regenerate">${csrfField(session)}<input type="hidden" name="id" value="${newKeyId()}">
${select({ name: 'grace', label: t.grace, options, chosen: 'h24' })}
<button class="primary">${t.regenerateButton}</button> <a class="button" href="/keys">${text.common.cancel}</a></form>`;
    return showPage(visit, { title: t.regenerateTitle(key.name), section: 'keys', content });
  });

  act('/keys/:id/regenerate', async ({ db, request, reply, session, origin }) => {
    const { id: newId = '', grace = '' } = getForm(request);
    const account = session.account.id;
    const id = getParam(request, 'id');
    try {
      const key = await db.tx(async (tx) => {
        const wanted = { id, account, newId, graceMs: GRACE_MS[grace] ?? 0, byCustomer: true };
        const made = await regenerateKey(tx, wanted, now());
        const details = { key: id, new_key: made.id, name: made.name };
        await recordAct(tx, { session, origin }, 'key.regenerated', now(), details);
        return made;
      });
      const { publicId } = session.account;
      app.log.info(
        { event: 'key.regenerated', account: publicId, key: id, newKey: key.id, ...origin },
        'key regenerated',
      );
      cookies.set(reply, 'new-key', key.apiKey);
    } catch (error) {
      if (!(error instanceof KeyExistsError)) throw error;
    }
    return seeOther(reply, '/keys/created');
  });

  async function keyFacts(visit: Visit, key: ApiKey): Promise<Html> {
    return liveTable(visit, [key], await readKeyUse(visit.db, settings.budgets, [key.id], now()), false);
  }
}

const endedAt = ({ revokedAt, expiresAt }: ApiKey): number =>
  Math.min(revokedAt ?? Number.POSITIVE_INFINITY, expiresAt ?? Number.POSITIVE_INFINITY);

function liveTable(visit: Visit, keys: readonly ApiKey[], use: ReadonlyMap<string, KeyUse>, actions = true): Html {
  const { text, format } = visit;
  const { keys: t } = text;
  const act = ({ id, name, prefix }: ApiKey, verb: 'revoke' | 'regenerate') =>
    html`<a class="button${verb === 'revoke' ? ' danger' : ''}" href="/keys/${id}/${verb}" aria-label="${t[verb]}: ${name} (${prefix}…)">${t[verb]}</a>`;
  const getUse = ({ id }: ApiKey) => required(use.get(id), `the use of key ${id}`);
  const showUse = ({ lastUsedAt }: KeyUse) => (lastUsedAt === null ? t.never : format.time(lastUsedAt));
  const showExpiry = ({ expiresAt, replacedBy }: ApiKey) =>
    html`${expiresAt === null ? t.noExpiry : format.time(expiresAt)}${replacedBy === null ? nothing : html`<br>${t.replaced}`}`;
  const showLeft = ({ left }: KeyUse) =>
    html`<span class="nowrap">${t.leftMinute(format.count(left.minute))}</span>, <span class="nowrap">${t.leftHour(format.count(left.hour))}</span>, <span class="nowrap">${t.leftDay(format.count(left.day))}</span>`;
  const showActions = (key: ApiKey) =>
    html`<span class="actions">${key.replacedBy === null ? act(key, 'regenerate') : nothing} ${act(key, 'revoke')}</span>`;
  const columns: Column<ApiKey>[] = [
    ...keyColumns(visit),
    [t.lastUsed, (key) => showUse(getUse(key))],
    [t.expires, showExpiry, 'text'],
    [t.left, (key) => showLeft(getUse(key)), 'text'],
    ...(actions ? [[t.actions, showActions] as const] : []),
  ];
  return table({ caption: actions ? t.caption : t.this, columns, rows: keys, empty: t.empty });
}

/** What tells one key from another. */
const keyColumns = ({ text, format }: Visit): Column<ApiKey>[] => [
  [text.keys.name, ({ name }) => name, 'text'],
  [text.keys.begins, ({ prefix }) => html`<code>${prefix}…</code>`],
  [text.keys.created, ({ createdAt }) => format.time(createdAt)],
];

const endedTable = (visit: Visit, keys: readonly ApiKey[]): Html =>
  table({
    caption: visit.text.keys.ended,
    columns: [...keyColumns(visit), [visit.text.keys.endedAt, (key) => visit.format.time(endedAt(key))]],
    rows: keys,
  });
