import type { Attachment } from '@svc/contract/attachments';
import type { CallWidgetApi } from '../client/widget-api.ts';
import type { Texts } from '../panel/texts.ts';

/** What the panel gives the script of files, which arrives where a visitor chooses one or is shown one. */
export interface FilesContext {
  root: ShadowRoot;
  /** The panel's own, with the translations of those of files. */
  texts: Texts;
  call: CallWidgetApi;
  /** What is to be sent has changed. */
  redraw(): void;
}

export interface VisitorFiles {
  /** Lets the visitor choose files for the next message. */
  choose(): void;
  /** Uploads files for the next message. */
  add(files: Iterable<File>): void;
  /** Puts what is to be sent into an element above the field to write in. */
  mount(place: HTMLElement | null): void;
  /** Whether the chosen files can be sent; undefined if there are none. */
  isReady(): boolean | undefined;
  /** The files that can be sent, which are no longer to be sent then; undefined if there are none. */
  take(): Attachment[] | undefined;
  /** Shows files that were sent with a message. */
  show(place: HTMLElement | null, sent: readonly Attachment[]): void;
}

export type CreateFiles = (context: FilesContext) => VisitorFiles;
