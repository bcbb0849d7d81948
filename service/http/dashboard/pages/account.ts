import type { Queryable } from '../../../../src/database/database.ts';
import { type AuditEvent, latestEvents } from '../../../accounts/audit-events.ts';
import { endSession, endSessions, listSessions, type OpenSession } from '../../../accounts/sessions.ts';
import { changePassword, PASSWORD_LENGTH } from '../../../accounts/sign-in.ts';
import { type Column, csrfField, facts, notice, select, table } from '../components.ts';
import { LANGUAGES, type Language } from '../format.ts';
import { type Html, html } from '../html.ts';
import { showPage } from '../layout.ts';
import { type Dashboard, seeOther } from '../routes.ts';
import { signInLimiter } from '../sign-in-limiter.ts';
import { getForm, getParam, getQuery, isLanguage, recordAct, type Visit } from '../view.ts';
import { isZone, ZONES } from '../zones.ts';

const EVENTS = 50;

/** The account itself: language, password, sessions and what happened to its security. */
export function accountPages({ app, context, cookies, page, act }: Dashboard): void {
  const { now } = context;
  // Who has stolen a session must not find out the password with it.
  const secondsToWait = signInLimiter(now);

  page('/account', async (visit) => {
    const { text, format, session, request } = visit;
    const { account: t } = text;
    const { account } = session;
    const { done = '' } = getQuery(request);
    const messages: Record<string, string> = { password: t.changed, session: t.sessionEnded, saved: t.saved };
    const content = html`${notice(Object.hasOwn(messages, done) ? messages[done] : undefined, 'good')}
${facts([
  [t.name, account.name],
  [t.id, account.publicId],
  [t.since, format.time(account.createdAt)],
])}
${languageForm(visit)}${passwordForm(visit)}${await sessionList(visit)}${await eventList(visit)}
<p class="quiet">${text.common.zone(visit.zone)}</p>`;
    return showPage(visit, { title: t.title, section: 'account', content });
  });

  act('/account/language', async ({ request, reply }) => {
    const { language = '', zone = '' } = getForm(request);
    if (isLanguage(language)) cookies.set(reply, 'language', language);
    if (isZone(zone)) cookies.set(reply, 'zone', zone);
    return seeOther(reply, '/account?done=saved');
  });

  act('/account/password', async (visit) => {
    const { db, request, reply, session, origin, text } = visit;
    const { current = '', next = '', repeat = '' } = getForm(request);
    if (next !== repeat) {
      reply.status(422);
      const content = html`${notice(text.account.differ)}${passwordForm(visit)}`;
      return showPage(visit, { title: text.account.title, section: 'account', content });
    }
    const wait = secondsToWait({ account: '', address: origin.address, device: session.id });
    if (wait > 0) {
      reply.status(429).header('retry-after', String(wait));
      const content = notice(text.account.wait(visit.format.count(wait)));
      return showPage(visit, { title: text.account.title, section: 'account', content });
    }
    await changePassword(db, session, { current, next }, origin, now());
    app.log.info({ event: 'password.changed', account: session.account.publicId, ...origin }, 'password changed');
    return seeOther(reply, '/account?done=password');
  });

  act('/account/sessions/:id/end', async (visit) => {
    const { request, reply, session } = visit;
    const id = getParam(request, 'id');
    await end(visit, async (tx) => ((await endSession(tx, session.account.id, id)) ? 1 : 0));
    return seeOther(reply, '/account?done=session');
  });

  act('/account/sessions/end-others', async (visit) => {
    const { reply, session } = visit;
    await end(visit, (tx) => endSessions(tx, session.account.id, session.id));
    return seeOther(reply, '/account?done=session');
  });

  /** Ends some sessions of the customer, and records how many there were. */
  async function end(visit: Visit, endThem: (tx: Queryable) => Promise<number>): Promise<void> {
    const { db, session, origin } = visit;
    const sessions = await db.tx(async (tx) => {
      const ended = await endThem(tx);
      if (ended > 0) await recordAct(tx, visit, 'session.ended', now(), { sessions: ended });
      return ended;
    });
    if (sessions === 0) return;
    app.log.info({ event: 'session.ended', account: session.account.publicId, sessions, ...origin }, 'sessions ended');
  }

  async function sessionList(visit: Visit): Promise<Html> {
    const { db, text, format, session } = visit;
    const { account: t } = text;
    const open = await listSessions(db, session.account.id, now());
    const endForm = ({ id, address }: OpenSession) =>
      html`<form method="post" action="/account/sessions/${id}/end">${csrfField(session)}<button aria-label="${t.endSessionOf(address)}">${t.endSession}</button></form>`;
    const columns: Column<OpenSession>[] = [
      [t.address, ({ address }) => address],
      [t.agent, ({ agent }) => (agent === '' ? text.common.none : agent), 'text'],
      [t.signedIn, (each) => format.time(each.created_at)],
      [t.seen, (each) => format.time(each.seen_at)],
      [text.keys.actions, (each) => (each.id === session.id ? t.thisSession : endForm(each))],
    ];
    const others =
      open.length > 1
        ? html`<form method="post" action="/account/sessions/end-others">${csrfField(session)}<button>${t.endOthers}</button></form>`
        : html``;
    return html`${table({ caption: t.sessions, columns, rows: open })}${others}`;
  }

  async function eventList({ db, text, format, session }: Visit): Promise<Html> {
    const { account: t } = text;
    const events = await latestEvents(db, session.account.id, EVENTS);
    const describeEvent = ({ event, details }: AuditEvent) =>
      `${t.eventNames[event]}${typeof details.name === 'string' ? `: ${details.name}` : ''}`;
    return table({
      caption: t.events,
      columns: [
        [text.common.time, (each) => format.time(each.created_at)],
        [t.event, describeEvent, 'text'],
        [t.by, ({ address }) => address ?? t.operator, 'text'],
      ],
      rows: events,
      empty: text.common.none,
    });
  }
}

const languageForm = ({ text, session, language, zone }: Visit): Html => html`<h2>${text.account.language}</h2>
<form method="post" action="/account/language">${csrfField(session)}
${select({ name: 'language', label: text.account.languageLabel, options: Object.entries(LANGUAGES) as [Language, string][], chosen: language })}
${select({ name: 'zone', label: text.account.zoneLabel, options: ZONES.map((each) => [each, each] as const), chosen: zone })}
<button class="primary">${text.account.save}</button></form>`;

function passwordForm({ text, session, format }: Visit): Html {
  const { account: t } = text;
  const { min, max } = PASSWORD_LENGTH;
  const field = (name: string, label: string, autocomplete: string, shortest: number) =>
    html`<label>${label} <input name="${name}" type="password" required minlength="${shortest}" maxlength="${max}" autocomplete="${autocomplete}"></label>`;
  return html`<h2>${t.password}</h2>
<form class="column" method="post" action="/account/password">${csrfField(session)}
<input name="username" autocomplete="username" value="${session.account.name}" hidden>
${field('current', t.current, 'current-password', 1)}
${field('next', t.next, 'new-password', min)}
${field('repeat', t.repeat, 'new-password', min)}
<p class="quiet">${t.passwordText(format.count(min))}</p>
<button class="primary">${t.change}</button></form>`;
}
