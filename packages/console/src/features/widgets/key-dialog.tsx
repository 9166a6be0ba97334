import type { WidgetKey } from '@svc/contract/widgets';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { keys } from '../../api/client.ts';
import { createWidgetKey, updateWidgetKey } from '../../api/widgets.ts';
import { useFieldErrors, useTexts } from '../../app/use-submit.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { FormDialog } from '../../kit/dialogs.tsx';
import { TextAreaField, TextField } from '../../kit/fields.tsx';

interface KeyDialogProps {
  botId: string;
  /** Left out for a new key. */
  saved?: WidgetKey;
  onClose: () => void;
}

export function KeyDialog({ botId, saved, onClose }: KeyDialogProps) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const { values, field } = useTexts({
    allowed_domains: saved?.allowed_domains.join('\n') ?? '',
    name: saved?.name ?? '',
    rate_limit_per_hour: String(saved?.rate_limit_per_hour ?? 1000),
    visitor_messages_per_hour: String(saved?.visitor_messages_per_hour ?? 60),
    visitor_usd_per_day: saved ? (saved.visitor_usd_per_day ?? '') : '1',
  });
  const listed = values.allowed_domains.split(/[\s,]+/).filter((one) => one !== '');
  const saving = useMutation({
    mutationFn: () => {
      const settings = {
        name: values.name.trim() || (listed[0] ?? 'Website'),
        allowed_domains: listed,
        rate_limit_per_hour: Number(values.rate_limit_per_hour),
        visitor_messages_per_hour: Number(values.visitor_messages_per_hour),
        visitor_usd_per_day: values.visitor_usd_per_day.trim() || null,
      };
      return saved
        ? updateWidgetKey(api, saved.id, settings)
        : createWidgetKey(api, { bot_id: botId, ...settings });
    },
    async onSuccess() {
      await client.invalidateQueries({ queryKey: keys.all(api, 'widget') });
      onClose();
    },
  });
  const { at, error } = useFieldErrors(saving.error, values);

  return (
    <FormDialog
      title={saved ? `Change ${saved.name}` : 'New widget key'}
      action={saved ? 'Save' : 'Create the key'}
      isBusy={saving.isPending}
      error={error}
      onSubmit={() => saving.mutate()}
      onClose={onClose}
    >
      <TextAreaField
        label="Sites that may show the chat"
        autoFocus
        minRows={2}
        placeholder={'shop.example.com\n*.example.org'}
        {...field('allowed_domains', at)}
        description="One host per line. *.example.org means every subdomain. Empty: only pages of this service."
      />
      <TextField label="Name" placeholder={listed[0] ?? 'shop.example.com'} {...field('name', at)} />
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          label="Messages per hour, all visitors"
          inputMode="numeric"
          {...field('rate_limit_per_hour', at)}
        />
        <TextField
          label="Messages per hour and visitor"
          inputMode="numeric"
          {...field('visitor_messages_per_hour', at)}
        />
        <TextField
          label="USD per visitor and day"
          inputMode="decimal"
          placeholder="no limit"
          {...field('visitor_usd_per_day', at)}
        />
      </div>
      <p className="text-ink-2 text-sm">
        Also limited, for every key: 100 new visitors an hour from one network; calls with the microphone
        count as a message, last 15 minutes at most, one at a time for a visitor and 20 for the bot.
      </p>
    </FormDialog>
  );
}
