import type { Work } from './work.ts';

export type SandboxMode = 'auto' | 'required' | 'off';

interface WorkOptions {
  /** Real paths. */
  roots: string[];
  stateFolder: string;
  sandbox: SandboxMode;
  allowNetwork: boolean;
}

export interface Workshop {
  work: Work;
  sandbox: 'bubblewrap' | 'none';
  warnings: string[];
}

/** Everything that this machine can do, each operation by the part that it belongs to. */
export async function createWork(_options: WorkOptions): Promise<Workshop> {
  const work: Work = {
    perform: async ({ name }) => ({ status: 'error', message: `${name} is not available.` }),
    recover: async () => ({ status: 'unknown', message: 'The daemon was interrupted.' }),
    close: async () => undefined,
  };
  return { work, sandbox: 'none', warnings: [] };
}
