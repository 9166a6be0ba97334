import type { WidgetLook } from '@svc/contract/widget-visitor';

/** What the loader gives the panel, which is a script of its own and arrives later. */
export interface PanelContext {
  /** The element that the widget lives in. The panel is rendered into its shadow root. */
  host: HTMLElement;
  root: ShadowRoot;
  /** The origin of the service, such as `https://agents.example.com`. */
  service: string;
  key: string;
  /** Undefined while it is not known, or if the widget may not be used here. */
  look: WidgetLook | undefined;
  settings: PageSettings;
  /** Why the widget cannot be used, if it cannot. */
  problem: Problem | undefined;
  /** The visitor opens the panel elsewhere than at the launcher. */
  open(): void;
  /** The visitor closed the panel. */
  onClosed(): void;
  /** How many messages arrived that the visitor has not seen. */
  onUnread(count: number): void;
  /** Tells the page, through `svc.on`. */
  emit(name: WidgetEventName, data: unknown): void;
}

/** What the page has set on the script element. */
export interface PageSettings {
  theme: 'light' | 'dark' | 'auto';
  direction: 'ltr' | 'rtl';
  language: string;
}

/** `blocked`: the domain is not allowed, the key is revoked or its bot inactive. `outage`: the service does not answer. */
export type Problem = 'blocked' | 'outage';

/** What the loader can make the panel do. */
export interface PanelHandle {
  open(): void;
  close(): void;
  send(text: string): void;
  identify(user: Identity | null): void;
  setLook(look: WidgetLook | undefined, problem: Problem | undefined): void;
}

/** A signed-in user of the page, as its server vouches for it. */
export interface Identity {
  user_id: string;
  user_hash: string;
}

export type WidgetEventName = 'ready' | 'open' | 'close' | 'message' | 'error';

/** The panel script's only export. */
export type MountPanel = (context: PanelContext) => PanelHandle;

/** `window.svc`. */
export interface WidgetApi {
  open(): void;
  close(): void;
  /** Opens the panel, too. */
  send(text: string): void;
  identify(user: Identity | null): void;
  /** Returns a function that ends the subscription. */
  on(name: WidgetEventName, listener: (data: unknown) => void): () => void;
}
