import type { Branch } from '@svc/contract/branches';
import type { Rating } from '@svc/contract/conversations';
import type { ChatMessage } from '../client/chat-state.ts';
import { button, create, createEditor } from './elements.ts';
import type { CreateActions } from './protocol.ts';
import { styles } from './styles.ts';
import { englishActionTexts } from './texts.ts';

/** As many as the service takes. */
const maxLength = 32_000;
const maxComment = 500;

interface Given {
  message: ChatMessage;
  /** The visitor's message that this one answers, or the message itself; undefined if it cannot be replaced. */
  question: ChatMessage | undefined;
  isLast: boolean;
}

/** What visitors can do with messages: rate answers, ask for another one, write their own again, change between versions. */
export const createActions: CreateActions = ({ root, texts: given, store, redraw }) => {
  const texts = { ...englishActionTexts, ...given };
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const { signal } = new AbortController();
  /** By the bubble that they belong to. */
  const rows = new WeakMap<Element, (given: Given) => void>();
  /** Ratings that the service may not have yet. */
  const rated = new Map<string, Rating | null>();
  let branches: Branch[] = [];
  let read = '';
  /** The button that is to have the focus once another version is shown, by the message that begins it. */
  let refocus: [string, number] | undefined;

  async function readBranches(): Promise<void> {
    const { conversationId, branched } = store.get();
    const wanted = branched ? `${conversationId} ${branched}` : '';
    if (wanted === read) return;
    read = wanted;
    if (!wanted) branches = [];
    else {
      // If it does not get through, they are read again with the next change.
      const list = await store
        .call(`branches?conversation_id=${conversationId}`, { signal })
        .then((response) => response.json() as Promise<Branch[]>)
        .catch(() => undefined);
      if (read !== wanted || !list) return;
      branches = list;
      redraw();
    }
  }

  /** The versions of a message of the visitor, oldest first. */
  function versionsOf({ storedId }: ChatMessage): Branch[] {
    const own = branches.find((branch) => branch.first_message_id === storedId);
    return own ? branches.filter((branch) => branch.after_message_id === own.after_message_id) : [];
  }

  const focusOn = (selector: string) => root.querySelector<HTMLElement>(selector)?.focus();

  function createRow(bubble: Element): (given: Given) => void {
    const place = bubble.parentElement;
    let now: Given;
    const row = create('div');
    const failed = Object.assign(create('span'), { role: 'alert' });
    const said = Object.assign(create('span'), { role: 'status' });
    let reason: HTMLElement | undefined;

    /** Whether it was done. */
    const request = async (path: string, body: object): Promise<boolean> => {
      failed.textContent = '';
      try {
        await store.call(path, {
          body: { conversation_id: store.get().conversationId, ...body },
          signal,
        });
        return true;
      } catch {
        failed.textContent = texts.actionFailed;
        rated.clear();
        refocus = undefined;
        redraw();
        return false;
      }
    };
    const rate = (rating: Rating) => {
      const body = {
        message_id: now.message.storedId ?? '',
        rating: ratingOf(now.message) === rating ? null : rating,
      };
      rated.set(body.message_id, body.rating);
      reason?.remove();
      said.textContent = '';
      void request('rating', body);
      if (body.rating === 'down') askWhy(body);
      redraw();
    };
    const askWhy = (body: object) => {
      const close = () => {
        form.remove();
        down.focus();
        said.textContent = texts.ratingThanks;
      };
      const form = createEditor({
        name: texts.whatWasWrong,
        cancel: [texts.ratingSkip, close],
        send: [texts.send, async (comment) => (await request('rating', { ...body, comment })) && close()],
        maxLength: maxComment,
      });
      reason = form;
      row.after(form);
      form.querySelector('textarea')?.focus();
    };
    const sendAgain = (text: string, { question } = now) => {
      focusOn('.log');
      store.send(text, { replaces: question?.storedId });
    };
    const step = (by: number) => {
      const versions = versionsOf(now.message);
      const next = versions[versions.findIndex((one) => one.first_message_id === now.message.storedId) + by];
      if (!next || !now.question) return;
      refocus = [next.first_message_id, by];
      void request('branches', { branch_id: next.id });
    };
    const openEditor = () => {
      const setOpen = (isOpen: boolean) => {
        row.hidden = isOpen;
        bubble.toggleAttribute('hidden', isOpen);
        if (!isOpen) form.remove();
      };
      const cancel = () => {
        setOpen(false);
        edit.focus();
      };
      const send = (text: string) => {
        setOpen(false);
        sendAgain(text);
      };
      const form = createEditor({
        name: texts.editedMessage,
        text: now.message.text,
        maxLength,
        cancel: [texts.editCancel, cancel],
        send: [texts.send, send],
      });
      setOpen(true);
      place?.append(form);
      form.querySelector('textarea')?.focus();
    };

    const up = button('thumb', texts.rateUp, () => rate('up'));
    const down = button('thumb', texts.rateDown, () => rate('down'), 'turned');
    const again = button('again', texts.answerAgain, () => sendAgain(now.question?.text ?? ''));
    const edit = button('edit', texts.edit, openEditor);
    const before = button('step', texts.versionBefore, () => step(-1), 'step');
    const count = create('span');
    const after = button('step', texts.versionAfter, () => step(1), 'step turned');

    return (next) => {
      now = next;
      const hadFocus = row.contains(root.activeElement);
      const { message, question, isLast } = next;
      const isAnswer = message.from === 'bot';
      const versions = isAnswer ? [] : versionsOf(message);
      const index = versions.findIndex((one) => one.first_message_id === message.storedId);
      const isBeside = !isAnswer && !versions[1];
      if (!row.firstChild)
        row.append(...(isAnswer ? [up, down, again, said] : [before, count, after, edit]), failed);
      const parent = isBeside ? bubble : place;
      if (row.parentNode !== parent) parent?.append(row);
      const rating = ratingOf(message);
      up.ariaPressed = `${rating === 'up'}`;
      down.ariaPressed = `${rating === 'down'}`;
      edit.hidden = again.hidden = !question;
      if (isAnswer && !isLast) again.hidden = true;
      for (const element of [before, count, after]) element.hidden = !versions[1];
      count.textContent = texts.version
        .replace('{number}', `${index + 1}`)
        .replace('{count}', `${versions.length}`);
      // Not disabled, so that they keep the focus.
      before.ariaDisabled = `${!question || !index}`;
      after.ariaDisabled = `${!question || !versions[index + 1]}`;
      row.className = `acts ${isBeside ? 'beside' : ''} ${isLast || versions[1] ? '' : 'aside'}`;
      // What is hidden has lost it.
      if (hadFocus && !root.activeElement) focusOn('.log');
      if (!refocus || refocus[0] !== message.storedId || index < 0) return;
      if (!root.activeElement) (refocus[1] < 0 ? before : after).focus();
      refocus = undefined;
    };
  }

  function ratingOf({ storedId = '', rating = null }: ChatMessage): Rating | null {
    const next = rated.get(storedId);
    // The service has it.
    if (next === rating) rated.delete(storedId);
    return next === undefined ? rating : next;
  }

  return (messages, canBranch) => {
    void readBranches();
    const firstOwn = messages.findIndex(({ from }) => from === 'visitor');
    const lastOwn = messages.findLastIndex(({ from }) => from === 'visitor');
    // What a person has written is never put aside.
    const lastOfPerson = messages.findLastIndex(({ from }) => from === 'person');
    let question: ChatMessage | undefined;
    for (const [index, message] of messages.entries()) {
      const { id, storedId, from, state } = message;
      const isOwn = from === 'visitor';
      if (isOwn) question = canBranch && storedId && index > lastOfPerson ? message : undefined;
      const isEnd =
        from === 'bot' && index > firstOwn && firstOwn >= 0 && messages[index + 1]?.from !== 'bot';
      const bubble = root.getElementById(id);
      if (!bubble || !storedId || state === 'streaming' || !(isOwn || isEnd)) continue;
      const show = rows.get(bubble) ?? createRow(bubble);
      rows.set(bubble, show);
      const isLast = isOwn ? index === lastOwn : index === messages.length - 1;
      show({ message, question, isLast });
    }
  };
};
