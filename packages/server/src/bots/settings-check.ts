import type { BotSettings } from '@svc/contract/bots';
import { phoneNumberForm } from '@svc/contract/voice-numbers';
import { invalid } from '../lib/app-error.ts';
import type { Services } from '../services.ts';
import { requireUsableSchema } from '../validation/json-schema/require-usable-schema.ts';
import { reportTogether } from '../validation/report-together.ts';
import type { BotChange, BotRow } from './bots.store.ts';

const phoneNumber = new RegExp(phoneNumberForm.pattern);

/** Without what people put between digits, as it is dialed. */
function checkTransferNumber(written: string | undefined): void {
  if (written !== undefined && !phoneNumber.test(written.replaceAll(/[\s()./-]/g, '')))
    throw invalid('call_transfer_number', `must be ${phoneNumberForm['x-expected']}`);
}

/** Implemented by the voice feature, which may import this one but not the other way round. */
export interface VoiceCheck {
  /** Throws UPSTREAM_FAILED when the bot's speech provider has a key and does not know the voice. */
  check(settings: BotSettings): Promise<void>;
}

export interface SettingsCheckDependencies extends Pick<Services, 'voices'> {
  models: Pick<Services['models'], 'faultOf'>;
  /** Why a webhook's URL can never be reached; undefined when it may be. */
  webhooks: { refusalOf(url: string): string | undefined };
  /** Whether this service has a mail server for notices; false by default. */
  canSendMail?: boolean;
}

/**
 * A model, number or webhook that stays the same is not checked: a bot whose provider lost its key, or whose webhook can no
 * longer be reached, can still be changed.
 */
export function createSettingsCheck(dependencies: SettingsCheckDependencies) {
  const { models, voices, webhooks, canSendMail = false } = dependencies;
  return { checkSettings, checkModel, checkVoice: (settings: BotSettings = {}) => voices.check(settings) };

  /** Throws everything that is wrong with the settings of a bot, except its voice, for which a provider is asked. */
  function checkSettings(
    { settings = {}, outputConfig }: Pick<BotChange, 'settings' | 'outputConfig'>,
    before?: Pick<BotRow, 'settings' | 'outputConfig'>,
  ): void {
    const { model, approval_notice: notice } = settings;
    const [schema, output] = [outputConfig?.schema, outputConfig?.webhook_url];
    reportTogether((attempt) => {
      attempt(() => schema && requireUsableSchema(schema, 'output_config.schema'));
      if (model && model !== before?.settings.model) attempt(() => checkModel(model));
      if (settings.call_transfer_number !== before?.settings.call_transfer_number)
        attempt(() => checkTransferNumber(settings.call_transfer_number ?? undefined));
      attempt(() => checkMail(notice?.email));
      if (output !== before?.outputConfig?.webhook_url)
        attempt(() => checkWebhook(output, 'output_config.webhook_url'));
      if (notice?.webhook_url !== before?.settings.approval_notice?.webhook_url)
        attempt(() => checkWebhook(notice?.webhook_url, 'approval_notice.webhook_url'));
    });
  }

  function checkMail(email: string | undefined): void {
    if (email && !canSendMail)
      throw invalid('approval_notice.email', 'needs a mail server: SVC_SMTP_URL is not set');
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
