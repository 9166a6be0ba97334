import type { Branch } from '@svc/contract/branches';
import type { Rating } from '@svc/contract/conversations';
import type { ChatMessage } from '../client/chat-state.ts';
import { button, create } from './elements.ts';
import type { CreateActions } from './protocol.ts';
import { styles } from './styles.ts';
import { englishActionTexts } from './texts.ts';

/** As many as the service takes. */
const maxLength = 32_000;

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

    const request = async (path: string, body: object) => {
      failed.textContent = '';
      await store
        .call(path, { body: { conversation_id: store.get().conversationId, ...body }, signal })
        .catch(() => {
          failed.textContent = texts.actionFailed;
          rated.clear();
          refocus = undefined;
          redraw();
        });
    };
    const rate = (rating: Rating) => {
      const { storedId = '' } = now.message;
      const next = ratingOf(now.message) === rating ? null : rating;
      rated.set(storedId, next);
      void request('rating', { message_id: storedId, rating: next });
      redraw();
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
      const form = create('form', 'composer');
      const field = Object.assign(create('textarea'), {
        value: now.message.text,
        dir: 'auto',
        rows: 3,
        maxLength,
        ariaLabel: texts.editedMessage,
      });
      const setOpen = (isOpen: boolean) => {
        row.hidden = isOpen;
        bubble.toggleAttribute('hidden', isOpen);
        if (!isOpen) form.remove();
      };
      const cancel = () => {
        setOpen(false);
        edit.focus();
      };
      const send = () => {
        const text = field.value.trim();
        if (!text) return;
        setOpen(false);
        sendAgain(text);
      };
      form.append(
        field,
        button('close', texts.editCancel, cancel, 'tool'),
        button('send', texts.send, send, 'send'),
      );
      field.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
        event.preventDefault();
        send();
      });
      form.addEventListener('keydown', (event) => {
        if (event.key !== 'Escape' || event.isComposing) return;
        // It closes the editor only.
        event.stopPropagation();
        cancel();
      });
      setOpen(true);
      place?.append(form);
      field.focus();
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
        row.append(...(isAnswer ? [up, down, again] : [before, count, after, edit]), failed);
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
