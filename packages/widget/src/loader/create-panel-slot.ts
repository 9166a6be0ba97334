import type { WidgetLook } from '@svc/contract/widget-visitor';
import type { MountPanel, PanelContext, PanelHandle, Problem } from '../protocol.ts';

export interface PanelSlot {
  /** Fetches the panel's script, which is not part of the loader. */
  load(): void;
  /** Calls with the panel as soon as it is there, in order. */
  use(call: (handle: PanelHandle) => void): void;
  setLook(look: WidgetLook | undefined, problem: Problem | undefined): void;
}

const maxRetryMilliseconds = 30_000;
const idleMilliseconds = 1_000;

export function createPanelSlot(script: string, context: PanelContext): PanelSlot {
  const waiting: ((handle: PanelHandle) => void)[] = [];
  let handle: PanelHandle | undefined;
  let isLoading = false;
  let attempts = 0;

  function load(): void {
    if (handle || isLoading) return;
    isLoading = true;
    // Browsers remember that an address could not be imported, so each attempt has its own.
    const address = attempts ? `${script}?attempt=${attempts}` : script;
    attempts += 1;
    import(address).then(
      ({ mountPanel }: { mountPanel: MountPanel }) => mount(mountPanel),
      () => {
        isLoading = false;
        context.emit('error', 'outage');
        if (waiting.length > 0) setTimeout(load, Math.min(1000 * 2 ** attempts, maxRetryMilliseconds));
      },
    );
  }

  function mount(mountPanel: MountPanel): void {
    const mounted = mountPanel(context);
    handle = mounted;
    for (const call of waiting.splice(0)) call(mounted);
  }

  whenPageIsIdle(load);
  return {
    load,
    use(call) {
      if (handle) return call(handle);
      waiting.push(call);
      load();
    },
    setLook(look, problem) {
      context.look = look;
      context.problem = problem;
      handle?.setLook(look, problem);
    },
  };
}

/** The page's own files come first. Visitors that save data get the panel when they open it. */
function whenPageIsIdle(load: () => void): void {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  const wait = () => setTimeout(load, idleMilliseconds);
  if (connection?.saveData) return;
  if (document.readyState === 'complete') wait();
  else addEventListener('load', wait);
}
