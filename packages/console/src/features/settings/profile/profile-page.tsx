import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { refreshSession, updateProfile } from '../../../api/session.ts';
import { NewPasswordField } from '../../../app/new-password-field.tsx';
import { canNotify, turn, useNewsSettings } from '../../../app/news/news-settings.ts';
import { playTone } from '../../../app/news/play-tone.ts';
import { setLetterKeys, useLetterKeys } from '../../../app/shortcuts/letter-keys.ts';
import { setTheme, useTheme } from '../../../app/theme.ts';
import { useForm } from '../../../app/use-submit.ts';
import { useWorkspace } from '../../../app/workspace.tsx';
import { Button } from '../../../kit/buttons.tsx';
import { RadioGroup, Switch, TextField } from '../../../kit/fields.tsx';
import { InlineError } from '../../../kit/placeholders.tsx';
import { notify } from '../../../kit/toast.tsx';
import { SettingsPage, SettingsSection } from '../settings-page.tsx';

export function ProfilePage() {
  return (
    <SettingsPage tab="profile">
      <SettingsSection title="You">
        <NameForm />
      </SettingsSection>
      <SettingsSection title="Password" lead="A new password signs you out everywhere else.">
        <PasswordForm />
      </SettingsSection>
      <SettingsSection title="This browser">
        <Appearance />
        <NewsSettings />
      </SettingsSection>
    </SettingsPage>
  );
}

function Appearance() {
  const theme = useTheme();
  const areLetterKeysOn = useLetterKeys();
  return (
    <div className="flex flex-col gap-4">
      <RadioGroup
        label="Theme"
        isInline
        options={[
          { value: 'system', label: 'As the system' },
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
        ]}
        value={theme}
        onChange={setTheme}
      />
      <Switch
        label="Shortcuts with a single letter"
        description="Such as j and k for the next and the previous row. Turn them off if you dictate, or press keys by accident."
        isOn={areLetterKeysOn}
        onChange={setLetterKeys}
      />
    </div>
  );
}

/** Browsers are asked for permission when it is turned on, and not before. */
function NewsSettings() {
  const { desktop, sound } = useNewsSettings();
  const [isRefused, setRefused] = useState(false);
  const lead = 'For new messages in conversations that are yours, and for those that wait for anybody.';
  const problem = canNotify()
    ? isRefused && 'This browser does not allow it: change that in its settings for this site.'
    : 'This browser has none for this address: open the console with https.';
  return (
    <div className="mt-4 flex flex-col gap-4">
      <Switch
        label="Desktop notifications"
        description={problem || lead}
        isOn={desktop}
        isDisabled={!canNotify()}
        onChange={(isOn) => void turn('desktop', isOn).then((isAllowed) => setRefused(!isAllowed))}
      />
      <Switch
        label="Sound"
        description="A short, quiet one, at the same moments."
        isOn={sound}
        onChange={(isOn) => {
          void turn('sound', isOn);
          if (isOn) playTone();
        }}
      />
    </div>
  );
}

function NameForm() {
  const { user } = useWorkspace();
  const queries = useQueryClient();
  const { values, field, onSubmit, isBusy, error } = useForm({ name: user.name }, async ({ name }) => {
    await updateProfile({ name: name.trim() });
    await refreshSession(queries);
    notify({ text: 'Your name was changed.' });
  });

  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-3">
      <TextField
        label="Name"
        autoComplete="name"
        description="Others see it on what you do, and so do end users to whom you write."
        isRequired
        {...field('name')}
      />
      <TextField label="Email" isReadOnly value={user.email} />
      {error !== undefined && <InlineError error={error} />}
      <div>
        <Button type="submit" look="primary" isBusy={isBusy} isDisabled={values.name.trim() === user.name}>
          Save
        </Button>
      </div>
    </form>
  );
}

function PasswordForm() {
  const { user } = useWorkspace();
  const empty = { password: '', current_password: '' };
  const { values, setValues, field, onSubmit, isBusy, error } = useForm(empty, async (changed) => {
    await updateProfile(changed);
    setValues(empty);
    notify({ text: 'Your password was changed.' });
  });

  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-3">
      <input type="hidden" autoComplete="username" value={user.email} readOnly />
      <TextField
        label="Current password"
        type="password"
        autoComplete="current-password"
        isRequired
        {...field('current_password')}
      />
      <NewPasswordField label="New password" {...field('password')} />
      {error !== undefined && <InlineError error={error} />}
      <div>
        <Button type="submit" isBusy={isBusy} isDisabled={Object.values(values).includes('')}>
          Change the password
        </Button>
      </div>
    </form>
  );
}
