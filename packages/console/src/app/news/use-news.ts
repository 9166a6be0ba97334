import type { ListedConversation } from '@svc/contract/console-conversations';
import { useRef } from 'react';
import { serverNow } from '../../format/server-time.ts';
import { useLiveChanges } from '../../live/live-context.ts';
import { useGo, useHref, useWorkspace } from '../workspace.tsx';
import { type Known, knownOf, knownSince, type News, newsOf } from './news-of.ts';
import { isOn } from './news-settings.ts';
import { playTone } from './play-tone.ts';

const maxKnown = 1_000;
const maxRecent = 20;
const name = 'svc_news';

/** Tells the member of new messages in conversations that concern them, as they have chosen for this browser. */
export function useNews(): void {
  const { user } = useWorkspace();
  const href = useHref();
  const go = useGo();
  const known = useRef(new Map<string, Known>());
  const openedAt = useRef(serverNow());
  useLiveChanges(({ object, id, data }) => {
    if (object !== 'conversation' || !id || !data) return;
    const row = data as ListedConversation;
    const before = known.current.get(id) ?? knownSince(openedAt.current);
    remember(known.current, id, knownOf(row, before, user.id));
    const news = newsOf(row, before, user.id);
    if (!news || !isFirstTab(`${id} ${row.last_message_at} ${row.needs_human?.at} ${news.title}`)) return;
    const path = `/conversations/${id}`;
    const isSeen = document.visibilityState === 'visible' && location.pathname === href(path);
    if (isSeen) return;
    if (isOn('sound')) playTone();
    if (isOn('desktop')) show(news, id, () => go(path));
  });
}

/** The latest last, and not more than a page that is open for weeks needs. */
function remember(known: Map<string, Known>, id: string, state: Known): void {
  known.delete(id);
  known.set(id, state);
  const [oldest] = known.keys();
  if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
}

/** Every tab of the browser is told: one of them tells the member. */
function isFirstTab(news: string): boolean {
  const recent = (localStorage.getItem(name) ?? '').split('\n');
  if (recent.includes(news)) return false;
  localStorage.setItem(name, [...recent.slice(-maxRecent), news].join('\n'));
  return true;
}

/** A new one takes the place of the last one of its conversation. */
function show({ title, body }: News, tag: string, onOpen: () => void): void {
  try {
    const shown = new Notification(title, { body, tag });
    shown.addEventListener('click', () => {
      window.focus();
      onOpen();
      shown.close();
    });
  } catch {
    // Browsers of phones show them only for pages that are installed in another way.
  }
}
