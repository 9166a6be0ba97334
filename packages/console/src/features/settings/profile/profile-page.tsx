import { setLetterKeys, useLetterKeys } from '../../../app/shortcuts/letter-keys.ts';
import { setTheme, useTheme } from '../../../app/theme.ts';
import { RadioGroup } from '../../../kit/radio-group.tsx';
import { Switch } from '../../../kit/switch.tsx';
import { SettingsPage } from '../settings-page.tsx';
import { SettingsSection } from '../settings-section.tsx';
import { NameForm } from './name-form.tsx';
import { PasswordForm } from './password-form.tsx';

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
