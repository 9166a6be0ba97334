import type { Preset } from '../../tool-type.ts';

const string = (description: string) => ({ type: 'string', description });

/** Starting points for well-known APIs. Users fill in their own keys. */
export const presets: Preset[] = [
  {
    id: 'open_meteo_forecast',
    name: 'Weather forecast (Open-Meteo)',
    configuration: {
      method: 'GET',
      url: 'https://api.open-meteo.com/v1/forecast',
      query: {
        latitude: '{{latitude}}',
        longitude: '{{longitude}}',
        forecast_days: '{{days}}',
        current: 'temperature_2m,precipitation,wind_speed_10m',
        daily: 'temperature_2m_max,temperature_2m_min,precipitation_sum',
        timezone: 'auto',
      },
      parameters: {
        type: 'object',
        properties: {
          latitude: { type: 'number', minimum: -90, maximum: 90 },
          longitude: { type: 'number', minimum: -180, maximum: 180 },
          days: { type: 'integer', minimum: 1, maximum: 16, default: 3 },
        },
        required: ['latitude', 'longitude'],
        additionalProperties: false,
      },
      auth_type: 'none',
    },
  },
  {
    id: 'github_list_issues',
    name: 'List GitHub issues',
    configuration: {
      method: 'GET',
      url: 'https://api.github.com/repos/{{owner}}/{{repository}}/issues',
      query: { state: '{{state}}', labels: '{{labels}}', per_page: 20 },
      headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
      parameters: {
        type: 'object',
        properties: {
          owner: string('The account or organisation.'),
          repository: string('The name of the repository.'),
          state: { type: 'string', enum: ['open', 'closed', 'all'], default: 'open' },
          labels: string('Names of labels, separated by commas.'),
        },
        required: ['owner', 'repository'],
        additionalProperties: false,
      },
      auth_type: 'bearer',
    },
  },
  {
    id: 'github_create_issue',
    name: 'Create a GitHub issue',
    configuration: {
      method: 'POST',
      url: 'https://api.github.com/repos/{{owner}}/{{repository}}/issues',
      headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
      body: { title: '{{title}}', body: '{{body}}', labels: '{{labels}}' },
      body_type: 'json',
      parameters: {
        type: 'object',
        properties: {
          owner: string('The account or organisation.'),
          repository: string('The name of the repository.'),
          title: string('One line.'),
          body: string('Markdown.'),
          labels: { type: 'array', items: { type: 'string' } },
        },
        required: ['owner', 'repository', 'title'],
        additionalProperties: false,
      },
      auth_type: 'bearer',
      response_path: 'html_url',
      approval: 'always',
    },
  },
  {
    id: 'slack_post_message',
    name: 'Post a Slack message',
    configuration: {
      method: 'POST',
      url: 'https://slack.com/api/chat.postMessage',
      body: { channel: '{{channel}}', text: '{{text}}' },
      body_type: 'json',
      parameters: {
        type: 'object',
        properties: {
          channel: string('The id of a channel, or its name with #.'),
          text: { type: 'string', minLength: 1, maxLength: 4000 },
        },
        required: ['channel', 'text'],
        additionalProperties: false,
      },
      auth_type: 'bearer',
      approval: 'always',
    },
  },
  {
    id: 'stripe_find_customer',
    name: 'Find a Stripe customer',
    configuration: {
      method: 'GET',
      url: 'https://api.stripe.com/v1/customers',
      query: { email: '{{email}}', limit: 3 },
      parameters: {
        type: 'object',
        properties: { email: { type: 'string', format: 'email' } },
        required: ['email'],
        additionalProperties: false,
      },
      auth_type: 'bearer',
      response_path: 'data',
    },
  },
  {
    id: 'hubspot_find_contact',
    name: 'Find a HubSpot contact',
    configuration: {
      method: 'POST',
      url: 'https://api.hubapi.com/crm/v3/objects/contacts/search',
      body: {
        filterGroups: [{ filters: [{ propertyName: 'email', operator: 'EQ', value: '{{email}}' }] }],
        properties: ['email', 'firstname', 'lastname', 'phone', 'company'],
        limit: 3,
      },
      body_type: 'json',
      parameters: {
        type: 'object',
        properties: { email: { type: 'string', format: 'email' } },
        required: ['email'],
        additionalProperties: false,
      },
      auth_type: 'bearer',
      response_path: 'results[*].properties',
    },
  },
];
