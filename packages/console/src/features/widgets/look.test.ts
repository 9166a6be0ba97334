import { describe, expect, it } from 'vitest';
import { colorNotice, lookOf, policyLines, sixDigits } from './look.ts';

const chosen = {
  id: 'x',
  bot_id: 'x',
  theme_color: '#45E',
  position: 'bottom-right' as const,
  greeting_text: 'Hi',
  welcome_message: null,
  avatar_url: null,
  show_branding: true,
  widget_title: ' ',
  placeholder_text: 'Type',
  voice_enabled: false,
  attachments_enabled: false,
  ask_details: 'never' as const,
  office_hours: null,
  created_at: '',
  updated_at: '',
};

describe('the look of a widget', () => {
  it('falls back to the bot, as the service does', () => {
    const bot = { name: 'Support', settings: '{"chat_greeting":"Hello!"}' };
    expect(lookOf(chosen, bot)).toMatchObject({
      theme_color: '#4455ee',
      title: 'Support',
      welcome_message: 'Hello!',
    });
    expect(lookOf({ ...chosen, welcome_message: '' }, bot).welcome_message).toBeNull();
  });

  it('says what becomes of a color that cannot be read', () => {
    expect(colorNotice('#ffff00')).toContain('a darker one on light (#737300, ');
    expect(colorNotice('#000')).toContain('a lighter one on dark');
    expect(colorNotice('#zz')).toBeUndefined();
    expect(sixDigits('red')).toBeUndefined();
  });

  it('needs the service in the policy of a site', () => {
    expect(policyLines('https://svc.example.com')).toBe(
      'script-src https://svc.example.com; connect-src https://svc.example.com wss://svc.example.com; img-src https://svc.example.com blob:',
    );
  });
});
