import type { BotSettings } from '@svc/contract/bots';
import { invalid } from '../lib/app-error.ts';
import type { ModelRegistry } from '../models/model-registry.ts';
import { requireUsableSchema } from '../validation/json-schema/require-usable-schema.ts';
import type { BotChange, BotRow } from './bots.store.ts';

/** Implemented by the voice feature, which may import this one but not the other way round. */
export interface VoiceCheck {
  /** Throws UPSTREAM_FAILED when the bot's speech provider has a key and does not know the voice. */
  check(settings: BotSettings): Promise<void>;
}

export interface SettingsCheckDependencies {
  models: Pick<ModelRegistry, 'faultOf'>;
  voices: VoiceCheck;
  /** Why a webhook's URL can never be reached; undefined when it may be. */
  webhooks: { refusalOf(url: string): string | undefined };
  /** Whether this service has a mail server for notices; false by default. */
  canSendMail?: boolean;
}

/**
 * An unchanged model or webhook is not checked: a bot whose provider lost its key, or whose webhook can no longer be
 * reached, can still be changed.
 */
export function createSettingsCheck(dependencies: SettingsCheckDependencies) {
  const { models, voices, webhooks, canSendMail = false } = dependencies;
  return { checkSettings, checkModel };

  /** Throws what is wrong with the settings of a bot. */
  async function checkSettings(
    { settings = {}, outputConfig }: Pick<BotChange, 'settings' | 'outputConfig'>,
    before?: Pick<BotRow, 'settings' | 'outputConfig'>,
  ): Promise<void> {
    if (outputConfig?.schema) requireUsableSchema(outputConfig.schema, 'output_config.schema');
    if (settings.model && settings.model !== before?.settings.model) checkModel(settings.model);
    if (settings.approval_notice?.email && !canSendMail)
      throw invalid('approval_notice.email', 'needs a mail server: SVC_SMTP_URL is not set');
    const [output, notice] = [outputConfig?.webhook_url, settings.approval_notice?.webhook_url];
    if (output !== before?.outputConfig?.webhook_url) checkWebhook(output, 'output_config.webhook_url');
    if (notice !== before?.settings.approval_notice?.webhook_url)
      checkWebhook(notice, 'approval_notice.webhook_url');
    await voices.check(settings);
  }

  function checkWebhook(url: string | undefined, path: string): void {
    const refusal = url === undefined ? undefined : webhooks.refusalOf(url);
    if (refusal !== undefined) throw invalid(path, `cannot be used: ${refusal}`);
  }

  function checkModel(model: string): void {
    const fault = models.faultOf(model);
    if (fault) throw invalid('model', fault);
  }
}
