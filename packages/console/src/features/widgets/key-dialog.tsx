import { ApiError, errorUnder } from '@svc/client/api-error';
import type { WidgetKey } from '@svc/contract/widgets';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../../api/client.ts';
import { createWidgetKey, updateWidgetKey } from '../../api/widgets.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { FormDialog } from '../../kit/dialogs.tsx';
import { TextAreaField, TextField } from '../../kit/fields.tsx';

interface KeyDialogProps {
  botId: string;
  /** Left out for a new key. */
  saved?: WidgetKey;
  onClose: () => void;
}

const fields = [
  'name',
  'allowed_domains',
  'rate_limit_per_hour',
  'visitor_messages_per_hour',
  'visitor_usd_per_day',
];

export function KeyDialog({ botId, saved, onClose }: KeyDialogProps) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [domains, setDomains] = useState(saved?.allowed_domains.join('\n') ?? '');
  const [name, setName] = useState(saved?.name ?? '');
  const [perHour, setPerHour] = useState(String(saved?.rate_limit_per_hour ?? 1000));
  const [perVisitor, setPerVisitor] = useState(String(saved?.visitor_messages_per_hour ?? 60));
  const [usdPerDay, setUsdPerDay] = useState(saved ? (saved.visitor_usd_per_day ?? '') : '1');

  const listed = domains.split(/[\s,]+/).filter((one) => one !== '');
  const saving = useMutation({
    mutationFn: () => {
      const settings = {
        name: name.trim() || (listed[0] ?? 'Website'),
        allowed_domains: listed,
        rate_limit_per_hour: Number(perHour),
        visitor_messages_per_hour: Number(perVisitor),
        visitor_usd_per_day: usdPerDay.trim() === '' ? null : usdPerDay.trim(),
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
  const { error } = saving;
  const at = (field: string) => (error instanceof ApiError ? errorUnder(error.details, field) : undefined);
  const isShownAtField = fields.some((field) => at(field) !== undefined);

  return (
    <FormDialog
      title={saved ? `Change ${saved.name}` : 'New widget key'}
      action={saved ? 'Save' : 'Create the key'}
      isBusy={saving.isPending}
      error={isShownAtField ? undefined : error}
      onSubmit={() => saving.mutate()}
      onClose={onClose}
    >
      <TextAreaField
        label="Sites that may show the chat"
        autoFocus
        minRows={2}
        placeholder={'shop.example.com\n*.example.org'}
        value={domains}
        onChange={setDomains}
        error={at('allowed_domains')}
        description="One host per line, without https://. *.example.org means every subdomain. Empty: only pages of this service."
      />
      <TextField
        label="Name"
        placeholder={listed[0] ?? 'shop.example.com'}
        value={name}
        onChange={setName}
        error={at('name')}
      />
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          label="Messages per hour, all visitors"
          inputMode="numeric"
          value={perHour}
          onChange={setPerHour}
          error={at('rate_limit_per_hour')}
        />
        <TextField
          label="Messages per hour and visitor"
          inputMode="numeric"
          value={perVisitor}
          onChange={setPerVisitor}
          error={at('visitor_messages_per_hour')}
        />
        <TextField
          label="USD per visitor and day"
          inputMode="decimal"
          placeholder="no limit"
          value={usdPerDay}
          onChange={setUsdPerDay}
          error={at('visitor_usd_per_day')}
        />
      </div>
    </FormDialog>
  );
}
