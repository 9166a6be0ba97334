import type { ToolType } from '../../tool-type.ts';
import { checkConfiguration } from './check-configuration.ts';
import { configurationSchema } from './configuration.ts';
import { presets } from './presets.ts';

/** All of the type but what runs it. */
export const httpRequestDescription = {
  type: 'http_request',
  name: 'HTTP request',
  description: 'Calls an HTTP API with parameters that the model fills in.',
  configurationSchema,
  readOnly: false,
  needsNoConfiguration: false,
  presets,
  checkConfiguration,
} satisfies Omit<ToolType, 'functions'>;
