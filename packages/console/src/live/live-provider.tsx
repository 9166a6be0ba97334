import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useWorkspace } from '../app/workspace.tsx';
import { type Live, LiveContext } from './live-context.ts';
import { openLive } from './open-live.ts';

/** Opens the live connection of the workspace, for everything below. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const { api } = useWorkspace();
  const [live, setLive] = useState<Live>();
  useEffect(() => {
    const opened = openLive(client, api);
    setLive(opened.live);
    return () => opened.close();
  }, [client, api]);
  return live && <LiveContext value={live}>{children}</LiveContext>;
}
