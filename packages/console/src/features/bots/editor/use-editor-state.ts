import { ApiError } from '@svc/client/api-error';
import type { ConsoleBot } from '@svc/contract/console-bots';
import type { ToolAssignment } from '@svc/contract/tools';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { botQuery, botsQuery, botToolsQuery, saveBot, saveDraft } from '../../../api/bots.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { fieldErrors } from '../../../kit/schema-faults.ts';
import { notify } from '../../../kit/toast.tsx';
import type { Faults } from '../../../kit/uncorrected.ts';
import { useUncorrected } from '../../../kit/use-uncorrected.ts';
import { type BotForm, fieldsOf, formOf, isSame, onTopOf, requireSendable, withSetting } from './bot-form.ts';
import type { BotEditorContext } from './editor-context.tsx';
import { changesIn } from './form-changes.ts';

const noErrors: Faults = new Map();

/** The form of a bot: what is saved, what was changed, and what became of the last save. */
export function useEditorState(bot: ConsoleBot, tools: readonly ToolAssignment[]): BotEditorContext {
  const { api, can } = useWorkspace();
  const queries = useQueryClient();
  const latest = useMemo(() => formOf(bot, tools), [bot, tools]);
  const [base, setBase] = useState({ form: latest, version: bot.version });
  const [form, setForm] = useState(latest);
  const [errors, setErrors] = useState(noErrors);
  const [failure, setFailure] = useState<unknown>();
  const [isSaving, setSaving] = useState(false);
  const saved = base.form;
  const changes = useMemo(() => changesIn(form, saved), [form, saved]);
  const isDirty = changes.length > 0;

  const restart = useCallback(() => {
    setBase({ form: latest, version: bot.version });
    setForm(latest);
    setErrors(noErrors);
    setFailure(undefined);
  }, [latest, bot.version]);

  // A form without changes follows what others save, but not back to what was read before its own save.
  const isNews = bot.version > base.version || (bot.version === base.version && !isSame(latest, saved));
  useEffect(() => {
    if (!isDirty && isNews) restart();
  }, [isDirty, isNews, restart]);

  // Errors of tools name their position among those that were sent.
  const shownErrors = useUncorrected(errors, { ...form.settings, ...form, assignments: form.tools });

  const change = useCallback((part: Partial<BotForm>) => {
    setForm((before) => ({ ...before, ...part }));
  }, []);

  const changeSetting = useCallback<BotEditorContext['changeSetting']>((name, value) => {
    setForm((before) => ({ ...before, settings: withSetting(before.settings, name, value) }));
  }, []);

  const reread = () =>
    Promise.all([
      queries.fetchQuery({ ...botQuery(api, bot.id), staleTime: 0 }),
      queries.fetchQuery({ ...botToolsQuery(api, bot.id), staleTime: 0 }),
    ]);

  async function save(): Promise<void> {
    if (isSaving || !isDirty) return;
    setSaving(true);
    setErrors(new Map());
    setFailure(undefined);
    try {
      requireSendable(form);
      const { version } = await saveBot(api, bot.id, {
        version: base.version,
        fields: fieldsOf(form, saved),
        ...(!isSame(form.tools, saved.tools) && { tools: form.tools }),
      });
      notify({ text: `Saved as version ${version}.` });
      // It is saved, even if it cannot be read again.
      const now = await reread().then(
        ([read, assigned]) => ({ form: formOf(read, assigned), version: read.version }),
        () => ({ form, version }),
      );
      setBase(now);
      // What was typed meanwhile stays.
      setForm((current) => (current === form ? now.form : current));
      void queries.invalidateQueries({ queryKey: botsQuery(api).queryKey });
    } catch (error) {
      // With what the other person saved, the notice about it appears.
      const isKnown =
        isConflict(error) &&
        (await reread().then(
          () => true,
          () => false,
        ));
      if (isKnown) return;
      setErrors(fieldErrors(error));
      setFailure(error);
    } finally {
      setSaving(false);
    }
  }

  return {
    bot,
    saved,
    form,
    changes,
    canEdit: can('operator'),
    change,
    changeSetting,
    errorAt: (path) => shownErrors.get(path),
    async keepDraft() {
      try {
        requireSendable(form);
        const { version } = await saveDraft(api, bot.id, {
          fields: fieldsOf(form, saved),
          tools: form.tools,
        });
        return version;
      } catch (error) {
        setErrors(fieldErrors(error));
        throw error;
      }
    },
    save,
    discard: restart,
    isSaving,
    /** Not once all that it says has been corrected. */
    failure: errors.size > 0 && shownErrors.size === 0 ? undefined : failure,
    // While it is being saved, the newer version may be its own.
    newerVersion: isDirty && !isSaving && bot.version > base.version ? bot.version : undefined,
    takeNewer: restart,
    keepMine() {
      setForm(onTopOf(latest, form, saved));
      setBase({ form: latest, version: bot.version });
    },
  };
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'BOT_CHANGED';
}
