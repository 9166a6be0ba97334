import type { WidgetCustomization } from '@svc/contract/widgets';
import { Select, Switch, TextAreaField, TextField } from '../../kit/fields.tsx';
import { colorNotice, sixDigits } from './look.ts';

const positions = [
  { value: 'bottom-right', label: 'Bottom right' },
  { value: 'bottom-left', label: 'Bottom left' },
  { value: 'top-right', label: 'Top right' },
  { value: 'top-left', label: 'Top left' },
] as const;

export interface CustomizationFieldsProps {
  value: WidgetCustomization;
  onChange: (change: Partial<WidgetCustomization>) => void;
  /** What is wrong with a field. */
  at: (path: string) => string | undefined;
  isReadOnly: boolean;
}

interface LookFieldsProps extends CustomizationFieldsProps {
  botName: string;
}

/** How the widget looks, and what it says first. */
export function LookFields({ value, onChange, at, isReadOnly, botName }: LookFieldsProps) {
  return (
    <>
      <ColorField
        value={value.theme_color}
        onChange={(color) => onChange({ theme_color: color })}
        error={at('theme_color')}
        isReadOnly={isReadOnly}
      />
      <TextField
        label="Title"
        placeholder={botName}
        maxLength={60}
        isReadOnly={isReadOnly}
        value={value.widget_title ?? ''}
        onChange={(next) => onChange({ widget_title: next === '' ? null : next })}
        error={at('widget_title')}
      />
      <TextField
        label="Line below the title"
        maxLength={200}
        isReadOnly={isReadOnly}
        value={value.greeting_text}
        onChange={(next) => onChange({ greeting_text: next })}
        error={at('greeting_text')}
      />
      <TextAreaField
        label="First message"
        minRows={2}
        maxLength={2000}
        isReadOnly={isReadOnly}
        value={value.welcome_message ?? ''}
        onChange={(next) => onChange({ welcome_message: next === '' ? null : next })}
        error={at('welcome_message')}
        description="Shown before the visitor writes. Empty: the greeting of the bot, if it has one."
      />
      <TextField
        label="Text in the empty field"
        maxLength={100}
        isReadOnly={isReadOnly}
        value={value.placeholder_text}
        onChange={(next) => onChange({ placeholder_text: next })}
        error={at('placeholder_text')}
      />
      <TextField
        label="Picture"
        type="url"
        placeholder="https://shop.example.com/avatar.png"
        isReadOnly={isReadOnly}
        value={value.avatar_url ?? ''}
        onChange={(next) => onChange({ avatar_url: next === '' ? null : next })}
        error={at('avatar_url')}
        description="PNG, JPEG, GIF or WebP, loaded through this service. The preview shows it once it is saved."
      />
      <Select
        label="Corner"
        value={value.position}
        options={positions}
        isDisabled={isReadOnly}
        onChange={(next) => onChange({ position: next })}
        error={at('position')}
      />
      <Switch
        label="Show where the chat comes from"
        description="A small line below the field."
        isOn={value.show_branding}
        isDisabled={isReadOnly}
        onChange={(isOn) => onChange({ show_branding: isOn })}
      />
    </>
  );
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
