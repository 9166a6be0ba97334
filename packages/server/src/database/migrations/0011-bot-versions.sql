-- Every configuration that a bot ever had.

-- the newest version; raised with the row held, so that no number is given twice
alter table bots add column version integer not null default 1;

create table bot_versions (
  bot_id uuid not null references bots on delete cascade,
  number integer not null,
  -- goes with its bot; a reference of its own would be checked at every save for nothing
  workspace_id uuid not null,
  -- null: the bot was there before its versions were kept
  created_by uuid,
  changes text[] not null,
  restored_from integer,
  -- json, not jsonb: what the author wrote comes back in the author's order
  configuration json not null,
  created_at timestamptz not null default now(),
  primary key (bot_id, number)
);

insert into bot_versions (bot_id, number, workspace_id, changes, configuration, created_at)
select id, 1, workspace_id, '{}', json_build_object(
  'name', name,
  'description', description,
  'system_prompt', system_prompt,
  'prompt_builder', prompt_builder,
  'settings', settings,
  'bot_type', bot_type,
  'schedule', schedule,
  'agent_goal', agent_goal,
  'output_config', output_config,
  'max_iterations', max_iterations,
  'timeout_seconds', timeout_seconds,
  'tools', (
    select coalesce(json_agg(json_build_object(
      'tool_type', tool_type,
      'tool_configuration_id', tool_configuration_id,
      'tool_instructions', tool_instructions,
      'speak_during_execution', speak_during_execution,
      'speak_after_execution', speak_after_execution,
      'tool_error_handling_mode', tool_error_handling_mode
    ) order by position), '[]') from tool_assignments where bot_id = bots.id
  )
), updated_at
from bots;
