import { ApiError } from '@svc/client/api-error';
import type { WidgetCustomization } from '@svc/contract/widgets';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { customizationQuery, saveLook } from '../../api/widgets.ts';
import { LeaveGuard } from '../../app/leave-guard.tsx';
import { useHref, useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { Select, Switch, TextAreaField, TextField } from '../../kit/fields.tsx';
import { InlineError } from '../../kit/placeholders.tsx';
import { notify } from '../../kit/toast.tsx';
import { colorNotice, sixDigits } from './look.ts';

type Draft = Partial<WidgetCustomization>;

interface LookFormProps {
  saved: WidgetCustomization;
  draft: Draft;
  botName: string;
  onChange: (change: (draft: Draft) => Draft) => void;
}

const positions = [
  { value: 'bottom-right', label: 'Bottom right' },
  { value: 'bottom-left', label: 'Bottom left' },
  { value: 'top-right', label: 'Top right' },
  { value: 'top-left', label: 'Top left' },
] as const;

/** Changes appear in the preview at once, and on sites when they are saved. */
export function LookForm({ saved, draft, botName, onChange }: LookFormProps) {
  const { api, can } = useWorkspace();
  const client = useQueryClient();
  const href = useHref();
  const shown = { ...saved, ...draft };
  const isReadOnly = !can('operator');
  const changed = (Object.keys(draft) as (keyof Draft)[]).filter((name) => draft[name] !== saved[name]);
  const set = (change: Draft) => onChange((before) => ({ ...before, ...change }));
  const saving = useMutation({
    mutationFn: (sent: Draft) => saveLook(api, { bot_id: saved.bot_id, ...sent }),
    onSuccess(look, sent) {
      client.setQueryData(customizationQuery(api, saved.bot_id).queryKey, look);
      // What was typed while it was being saved is kept.
      onChange((now) => pick(now, (name) => now[name] !== sent[name]));
      notify({ text: 'The look was saved. Sites show it within a minute.' });
    },
  });
  const { error } = saving;
  const at = (field: keyof Draft) => (error instanceof ApiError ? error.at(field) : undefined);
  const isAtField = changed.some((name) => at(name) !== undefined);

  return (
    <section aria-labelledby="look" className="flex flex-col gap-4 px-4 py-5 md:px-6">
      <h2 id="look" className="font-semibold">
        Look
      </h2>
      <LeaveGuard
        isDirty={changed.length > 0}
        isKeptAt={({ pathname }) => pathname === href(`/widgets/${saved.bot_id}`)}
        changes="the look"
      />
      <form
        className="flex max-w-xl flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate(pick(draft, (name) => changed.includes(name)));
        }}
      >
        <ColorField
          value={shown.theme_color}
          onChange={(value) => set({ theme_color: value })}
          error={at('theme_color')}
          isReadOnly={isReadOnly}
        />
        <TextField
          label="Title"
          placeholder={botName}
          maxLength={60}
          isReadOnly={isReadOnly}
          value={shown.widget_title ?? ''}
          onChange={(value) => set({ widget_title: value === '' ? null : value })}
          error={at('widget_title')}
        />
        <TextField
          label="Line below the title"
          maxLength={200}
          isReadOnly={isReadOnly}
          value={shown.greeting_text}
          onChange={(value) => set({ greeting_text: value })}
          error={at('greeting_text')}
        />
        <TextAreaField
          label="First message"
          minRows={2}
          maxLength={2000}
          isReadOnly={isReadOnly}
          value={shown.welcome_message ?? ''}
          onChange={(value) => set({ welcome_message: value === '' ? null : value })}
          error={at('welcome_message')}
          description="Shown before the visitor writes. Empty: the greeting of the bot, if it has one."
        />
        <TextField
          label="Text in the empty field"
          maxLength={100}
          isReadOnly={isReadOnly}
          value={shown.placeholder_text}
          onChange={(value) => set({ placeholder_text: value })}
          error={at('placeholder_text')}
        />
        <TextField
          label="Picture"
          type="url"
          placeholder="https://shop.example.com/avatar.png"
          isReadOnly={isReadOnly}
          value={shown.avatar_url ?? ''}
          onChange={(value) => set({ avatar_url: value === '' ? null : value })}
          error={at('avatar_url')}
          description="PNG, JPEG, GIF or WebP, loaded through this service. The preview shows it once it is saved."
        />
        <Select
          label="Corner"
          value={shown.position}
          options={positions}
          isDisabled={isReadOnly}
          onChange={(value) => set({ position: value })}
          error={at('position')}
        />
        <Switch
          label="Show where the chat comes from"
          description="A small line below the field."
          isOn={shown.show_branding}
          isDisabled={isReadOnly}
          onChange={(isOn) => set({ show_branding: isOn })}
        />
        <Switch
          label="Let visitors talk to the bot"
          description="A microphone beside the field, where speech is set up for the bot. The preview shows it once it is saved."
          isOn={shown.voice_enabled}
          isDisabled={isReadOnly}
          onChange={(isOn) => set({ voice_enabled: isOn })}
        />
        {error && !isAtField && <InlineError error={error} />}
        {!isReadOnly && (
          <div className="flex items-center gap-3">
            <Button type="submit" isDisabled={changed.length === 0} isBusy={saving.isPending}>
              Save the look
            </Button>
            {changed.length > 0 && (
              <>
                <Button look="quiet" onPress={() => onChange(() => ({}))}>
                  Discard
                </Button>
                <span className="text-ink-3 text-sm">Not saved yet.</span>
              </>
            )}
          </div>
        )}
      </form>
    </section>
  );
}

function pick(draft: Draft, isWanted: (name: keyof Draft) => boolean): Draft {
  return Object.fromEntries(Object.entries(draft).filter(([name]) => isWanted(name as keyof Draft)));
}

interface ColorFieldProps {
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
  isReadOnly: boolean;
}

/** A color as text and as the picker of the browser, with a note when links need another shade. */
function ColorField({ value, onChange, error, isReadOnly }: ColorFieldProps) {
  const color = sixDigits(value);
  const wrong = color ? undefined : 'must be a hex color such as #4f46e5';
  return (
    <TextField
      label="Color"
      isCode
      isReadOnly={isReadOnly}
      value={value}
      onChange={onChange}
      error={error ?? wrong}
      description={colorNotice(value)}
      after={
        <input
          type="color"
          aria-label="Choose a color"
          value={color ?? '#000000'}
          disabled={isReadOnly}
          onChange={(event) => onChange(event.currentTarget.value)}
          className="size-8 shrink-0 rounded-md border border-line-strong bg-surface p-0.5 pointer-coarse:size-11"
        />
      }
    />
  );
}
