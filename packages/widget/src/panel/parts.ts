import type { CreateActions } from '../actions/protocol.ts';
import type { CreateFiles } from '../files/protocol.ts';
import type { CreateForm } from '../form/protocol.ts';
import type { CreateHistory } from '../history/protocol.ts';
import type { CreateTeaser } from '../teaser/protocol.ts';
import type { CreateVoice } from '../voice/protocol.ts';

/** Files of their own, which arrive where they are needed. */
export interface Parts {
  voice: { createVoice: CreateVoice };
  files: { createFiles: CreateFiles };
  actions: { createActions: CreateActions };
  form: { createForm: CreateForm };
  history: { createHistory: CreateHistory };
  teaser: { createTeaser: CreateTeaser };
}

export type LoadPart = <Name extends keyof Parts>(name: Name) => Promise<Parts[Name]>;
