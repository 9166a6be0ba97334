import type { Configuration, ToolType } from '../../tool-type.ts';
import { checkConfiguration } from './check-configuration.ts';
import { configurationSchema, onlyReads, readConfiguration } from './configuration.ts';
import { presets } from './presets.ts';

/** The type without the code that runs it. */
export const httpRequestDescription = {
  type: 'http_request',
  name: 'HTTP request',
  description: 'Calls an HTTP API with parameters that the model fills in.',
  configurationSchema,
  readOnly: false,
  needsNoConfiguration: false,
  presets,
  checkConfiguration,
  asks(configuration: Configuration) {
    const read = readConfiguration(configuration);
    return { [onlyReads(read) ? 'reads' : 'changes']: read.approval === 'always' };
  },
} satisfies Omit<ToolType, 'functions'>;
