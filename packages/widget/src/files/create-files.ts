import type { Attachment } from '@svc/contract/attachments';
import { fill } from '../panel/texts.ts';
import type { CreateFiles } from './protocol.ts';
import { shrink } from './shrink.ts';
import { styles } from './styles.ts';
import { englishFileTexts } from './texts.ts';

/** What the service takes. */
const accepted = /^(image\/(png|jpeg|gif|webp)|application\/pdf)$/;
const maxBytes = 5_242_880;
const maxFiles = 5;

/** A file that the visitor wants to send. */
interface Chosen {
  entry: HTMLElement;
  ending: AbortController;
  /** Once it is uploaded. */
  attachment: Attachment | undefined;
}

/** Files that a visitor sends, and those that were sent. */
export const createFiles: CreateFiles = ({ root, texts: given, call, redraw }) => {
  const texts = { ...englishFileTexts, ...given };
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];

  const box = create('div');
  const list = create('ul', 'files outgoing');
  const problem = create('p', 'file-problem');
  const status = create('p', 'hidden');
  list.setAttribute('aria-label', texts.filesToSend);
  problem.role = 'alert';
  status.role = 'status';
  box.append(list, problem, status);
  const picker = Object.assign(create('input'), { type: 'file', multiple: true, accept: 'image/*,.pdf' });
  picker.addEventListener('change', () => addAll(picker.files ?? []));
  let chosen: Chosen[] = [];
  /** A picture that is shown large. */
  let large: HTMLDialogElement | undefined;
  /** The bytes of what was sent, by id: fetched once. */
  const pictures = new Map<string, Promise<string>>();

  function remove(one: Chosen): void {
    one.ending.abort();
    one.entry.remove();
    chosen = chosen.filter((other) => other !== one);
    redraw();
  }

  function add(file: File): void {
    const entry = create('li', 'file uploading');
    const name = create('span', 'name', file.name);
    const button = create('button');
    name.dir = 'auto';
    button.type = 'button';
    button.ariaLabel = fill(texts.fileRemove, file.name);
    entry.append(name, button);
    if (file.type.startsWith('image/')) showThumbnail(entry, file);
    list.append(entry);
    const one: Chosen = { entry, ending: new AbortController(), attachment: undefined };
    button.addEventListener('click', () => {
      remove(one);
      root.querySelector<HTMLElement>('div.composer textarea')?.focus();
    });
    chosen.push(one);
    status.textContent = fill(texts.fileUploading, file.name);
    void upload(file, one);
  }

  async function upload(file: File, one: Chosen): Promise<void> {
    try {
      const body = new FormData();
      const content = await shrink(file);
      if (content.size > maxBytes) throw new RangeError();
      const name = content === file ? file.name : `${file.name.replace(/\.\w+$/, '')}.jpg`;
      body.append('files', content, name);
      const response = await call('attachments', { body, signal: one.ending.signal });
      one.attachment = (await response.json()) as Attachment;
      one.entry.classList.remove('uploading');
      status.textContent = fill(texts.fileReady, file.name);
      redraw();
    } catch (error) {
      if (one.ending.signal.aborted) return;
      problem.textContent = error instanceof RangeError ? texts.fileTooLarge : texts.fileFailed;
      remove(one);
    }
  }

  /** The address of the bytes of a file, in this page. */
  function read(id: string): Promise<string> {
    const known = pictures.get(id) ?? fetchBytes(id);
    pictures.set(id, known);
    // The next attempt may succeed.
    known.catch(() => pictures.delete(id));
    return known;
  }

  async function fetchBytes(id: string): Promise<string> {
    const response = await call(`attachments/${id}`, { signal: new AbortController().signal });
    return URL.createObjectURL(await response.blob());
  }

  /** What cannot be read now can be pressed, and is shown the next time. */
  async function save({ id, name }: Attachment): Promise<void> {
    const href = await read(id).catch(() => undefined);
    if (href) Object.assign(document.createElement('a'), { href, download: name }).click();
  }

  /** Above the whole page, which waits. It leads nowhere: what was sent never becomes a page of its own. */
  async function enlarge(file: Attachment): Promise<void> {
    const src = await read(file.id).catch(() => undefined);
    if (!src) return;
    const dialog = create('dialog', 'large');
    const buttons = create('p');
    const close = create('button', '', texts.fileClose);
    const keep = create('button', '', fill(texts.fileSave, file.name));
    dialog.ariaLabel = file.name;
    close.autofocus = true;
    keep.addEventListener('click', () => void save(file));
    dialog.addEventListener('click', ({ target }) => {
      if (target !== keep) dialog.close();
    });
    dialog.addEventListener('close', () => dialog.remove());
    buttons.append(keep, close);
    dialog.append(Object.assign(create('img'), { src, alt: file.name }), buttons);
    large?.close();
    large = dialog;
    root.append(dialog);
    dialog.showModal();
  }

  async function picture(button: HTMLElement, { id }: Attachment): Promise<void> {
    const src = await read(id).catch(() => undefined);
    if (!src) return;
    const image = Object.assign(create('img'), { alt: '', src });
    image.addEventListener('load', () => {
      button.prepend(image);
      // The log follows what has become longer.
      redraw();
    });
  }

  function sentFile(file: Attachment): HTMLElement {
    const { name, media_type: type } = file;
    const button = create('button');
    const label = create('span', '', name);
    label.dir = 'auto';
    button.type = 'button';
    const isPicture = type.startsWith('image/');
    button.ariaLabel = fill(isPicture ? texts.fileShow : texts.fileSave, name);
    button.append(label);
    button.addEventListener('click', () => void (isPicture ? enlarge : save)(file));
    if (isPicture) void picture(button, file);
    return button;
  }

  function addAll(files: Iterable<File>): void {
    problem.textContent = '';
    for (const file of files) {
      if (!accepted.test(file.type)) problem.textContent = texts.fileKind;
      else if (chosen.length >= maxFiles) problem.textContent = texts.fileTooMany;
      else add(file);
    }
    redraw();
  }

  return {
    choose() {
      // The same file can be chosen again.
      picker.value = '';
      picker.click();
    },
    add: addAll,
    mount: (place) => place?.append(box),
    isReady: () => (chosen.length > 0 ? chosen.every(({ attachment }) => attachment) : undefined),
    take() {
      const taken = chosen.flatMap(({ attachment }) => attachment ?? []);
      for (const { entry, ending } of chosen) {
        ending.abort();
        entry.remove();
      }
      chosen = [];
      large?.close();
      problem.textContent = status.textContent = '';
      redraw();
      return taken.length > 0 ? taken : undefined;
    },
    show(place, sent) {
      if (!place || place.childElementCount > 0) return;
      place.append(...sent.map(sentFile));
      // It is being drawn.
      requestAnimationFrame(redraw);
    },
  };
};

/** Before the name, unless the browser cannot show it or the policy of the page does not allow it. */
function showThumbnail(entry: HTMLElement, file: File): void {
  const src = URL.createObjectURL(file);
  const image = Object.assign(create('img'), { alt: '', src });
  image.addEventListener('load', () => entry.prepend(image));
  // Drawn or not, the address is of no further use.
  for (const event of ['load', 'error']) image.addEventListener(event, () => URL.revokeObjectURL(src));
}

function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = '',
  textContent = '',
): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), { className, textContent });
}
