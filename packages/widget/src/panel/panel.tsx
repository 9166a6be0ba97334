/** @jsxImportSource preact */
import { Composer } from './composer.tsx';
import { Header } from './header.tsx';
import { MessageLog } from './message-log.tsx';
import type { View } from './view.ts';

export function Panel({ view }: { view: View }) {
  return (
    <div
      class="panel"
      role="dialog"
      aria-labelledby="title"
      dir={view.settings.direction}
      hidden={!view.isOpen}
    >
      <Header view={view} />
      <MessageLog view={view} />
      <Composer view={view} />
    </div>
  );
}
