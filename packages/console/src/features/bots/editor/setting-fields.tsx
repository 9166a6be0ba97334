import type { BotSettings } from '@svc/contract/bots';
import type { ComponentProps } from 'react';
import { NumberField, Switch, TextAreaField, TextField } from '../../../kit/fields.tsx';
import { isOnByDefault } from './bot-form.ts';
import { useBotEditor } from './editor-context.tsx';

/** The settings of this very type. */
type NameOf<Value> = {
  [Name in keyof BotSettings]-?: [Value] extends [NonNullable<BotSettings[Name]>]
    ? [NonNullable<BotSettings[Name]>] extends [Value]
      ? Name
      : never
    : never;
}[keyof BotSettings];

type OwnProps = 'value' | 'isOn' | 'onChange' | 'isReadOnly' | 'isDisabled' | 'error';

type TextSettingProps = { name: NameOf<string> } & Omit<ComponentProps<typeof TextField>, OwnProps | 'name'>;

export function TextSetting({ name, ...props }: TextSettingProps) {
  const { form, changeSetting, canEdit, errorAt } = useBotEditor();
  return (
    <TextField
      {...props}
      value={form.settings[name] ?? ''}
      onChange={(value) => changeSetting(name, value)}
      isReadOnly={!canEdit}
      error={errorAt(name)}
    />
  );
}

type TextAreaSettingProps = { name: NameOf<string> } & Omit<
  ComponentProps<typeof TextAreaField>,
  OwnProps | 'name'
>;

/** For texts whose lines matter. */
export function TextAreaSetting({ name, ...props }: TextAreaSettingProps) {
  const { form, changeSetting, canEdit, errorAt } = useBotEditor();
  return (
    <TextAreaField
      {...props}
      value={form.settings[name] ?? ''}
      onChange={(value) => changeSetting(name, value)}
      isReadOnly={!canEdit}
      error={errorAt(name)}
    />
  );
}

type NumberSettingProps = { name: NameOf<number> } & Omit<ComponentProps<typeof NumberField>, OwnProps>;

export function NumberSetting({ name, ...props }: NumberSettingProps) {
  const { form, changeSetting, canEdit, errorAt } = useBotEditor();
  return (
    <NumberField
      {...props}
      value={form.settings[name] ?? undefined}
      onChange={(value) => changeSetting(name, value)}
      isReadOnly={!canEdit}
      error={errorAt(name)}
    />
  );
}

type SwitchSettingProps = { name: NameOf<boolean> } & Omit<ComponentProps<typeof Switch>, OwnProps>;

export function SwitchSetting({ name, ...props }: SwitchSettingProps) {
  const { form, changeSetting, canEdit } = useBotEditor();
  return (
    <Switch
      {...props}
      isOn={form.settings[name] ?? isOnByDefault(name)}
      onChange={(isOn) => changeSetting(name, isOn)}
      isDisabled={!canEdit}
    />
  );
}
