import type { BotSettings } from '@svc/contract/bots';
import type { ConsoleBot } from '@svc/contract/console-bots';
import { createContext, useContext } from 'react';
import type { BotForm } from './bot-form.ts';
import type { FormChange } from './form-changes.ts';

export interface BotEditorContext {
  bot: ConsoleBot;
  saved: BotForm;
  form: BotForm;
  /** What would be saved. */
  changes: readonly FormChange[];
  /** False for those who may only look. */
  canEdit: boolean;
  change(part: Partial<BotForm>): void;
  changeSetting<Name extends keyof BotSettings>(name: Name, value: BotSettings[Name] | undefined): void;
  /** What the service said about a field of the form when it was last saved or tested. */
  errorAt(path: string): string | undefined;
  /** Stores the form as a draft for tests and returns its number. Throws, and shows errors at their fields. */
  keepDraft(): Promise<number>;
  save(): Promise<void>;
  discard(): void;
  isSaving: boolean;
  /** Why the last save failed. */
  failure: unknown;
  /** The newer version that somebody else saved, while this form has changes of its own. */
  newerVersion: number | undefined;
  /** Drops the changes and shows the newer version. */
  takeNewer(): void;
  /** Makes the changes to the newer version; where both changed the same, the next save goes over it. */
  keepMine(): void;
}

export const EditorContext = createContext<BotEditorContext | undefined>(undefined);

/** The bot that is being edited. */
export function useBotEditor(): BotEditorContext {
  const editor = useContext(EditorContext);
  if (!editor) throw new Error('This component is outside of the editor of a bot.');
  return editor;
}
