import { startVoiceService, type VoiceService } from '../../support/voice/voice-service.ts';
import { createWidget, openPage, type Page } from '../use-widget.ts';

export interface WebVoice extends VoiceService {
  /** A bot with a voice, and a widget with a microphone. */
  makeWidget(options?: {
    bot?: object;
    key?: object;
  }): Promise<{ page: Page; apiKey: string; keyId: string; botId: string }>;
}

/** The service with stand-ins for the speech providers and the model; everything between them and the browser is real. */
export async function startWebVoice(): Promise<WebVoice> {
  const voice = await startVoiceService();
  const { service } = voice;
  return {
    ...voice,
    async makeWidget({ bot = {}, key = {} } = {}) {
      const spoken = { tts_provider: 'elevenlabs', voice_greeting: 'Hello, this is Acme.', ...bot };
      const widget = await createWidget(service, { bot: spoken, key });
      const body = { bot_id: widget.bot_id, voice_enabled: true };
      await service.call('PUT /api/v1/widgets/customization', { body });
      const apiKey = widget.api_key;
      return { page: openPage(service, apiKey), apiKey, keyId: widget.id, botId: widget.bot_id };
    },
  };
}
